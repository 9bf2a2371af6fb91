/* A run of the toy loop with options that a test chooses, and all its results. A trial corresponds to one process: it
 * begins at x_0 and ends when verso_run returns. */
#ifndef VERSO_TESTS_TRIAL_H
#define VERSO_TESTS_TRIAL_H

#include "base/system.h"
#include "tests/support/toy.h"

/* A kind of run: a schedule, where its tiers are (memory, files or both), and whether its length is known. */
typedef struct trial_case {
    const char *word; /* name for messages */
    verso_schedule_kind kind;
    uint64_t slots;
    verso_place first_tier;
    bool unknown, with_disk;
} trial_case;

/* Four cases that differ most in where capsules are kept. */
enum { TRIAL_CASES = 4 };
extern const trial_case trial_cases[TRIAL_CASES];

typedef struct trial {
    toy model;
    verso_run_options options;
    const verso__system *system; /* the system calls of the run; NULL: the machine's */
    verso_status status;
    verso_error error;
    verso_run_report report;
    toy_result result;
    char notices[4096]; /* all notices, one per line */
} trial;

/* Prepares a trial without threads, so that system calls have a fixed order. The caller closes it. */
void trial_open(trial *one, const trial_case *what, uint64_t steps, const char *directory);
/* Runs the trial and returns its status. */
verso_status trial_run(trial *one);
void trial_close(trial *one);

/* Opens a trial, continues the run in the directory to its end, and closes the trial. Fails the test unless the
 * result is `expected`, bit for bit; `text` is printed and says what the test was doing. */
void trial_must_end(const trial_case *what, uint64_t steps, const char *directory, const toy_result *expected,
                    const char *text);

/* Returns the number of descriptors that this process has open. */
size_t trial_descriptors(void);

#endif
