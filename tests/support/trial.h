/* A run of the toy loop as a test wants it, with everything that was said about it. One trial is one process's life: it
 * begins at x_0 and ends with verso_run. */
#ifndef VERSO_TESTS_TRIAL_H
#define VERSO_TESTS_TRIAL_H

#include "tests/support/toy.h"

/* What is run: schedules with tiers in memory, in files, in both, of known and of unknown length. */
typedef struct trial_case {
    const char *word;
    verso_schedule_kind kind;
    uint64_t slots;
    verso_place first_tier;
    bool unknown, with_disk;
} trial_case;

/* The four that differ most in what lies where. */
enum { TRIAL_CASES = 4 };
extern const trial_case trial_cases[TRIAL_CASES];

typedef struct trial {
    toy model;
    verso_run_options options;
    verso_status status;
    verso_error error;
    verso_run_report report;
    toy_result result;
    char notices[4096]; /* one a line */
} trial;

/* In the foreground, so that system calls come in a fixed order. To be closed. */
void trial_open(trial *one, const trial_case *what, uint64_t steps, const char *directory);
/* Runs it; the status, too. */
verso_status trial_run(trial *one);
void trial_close(trial *one);

/* Runs it from the directory to the end and fails the test unless the result is `expected`, bit for bit; `text` says
 * what the test was doing. The trial is closed. */
void trial_must_end(const trial_case *what, uint64_t steps, const char *directory, const toy_result *expected,
                    const char *text);

/* Descriptors that this process has open. */
size_t trial_descriptors(void);

#endif
