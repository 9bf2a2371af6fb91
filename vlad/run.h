/* Runs a whole program: the common part of `verso vlad` and of compiled programs. */
#ifndef VLAD_RUN_H
#define VLAD_RUN_H

#include "vlad/checkpoint.h"
#include "vlad/code.h"

#include "drive/limits.h"

#include <stdio.h>

/* The kind of schedule if none is given: VLAD_KIND; with a budget, and without an option that only binary and
 * treeverse have, VLAD_KIND_BUDGET. */
#define VLAD_KIND "binary"
#define VLAD_KIND_BUDGET "revolve"

typedef struct vlad_settings {
    const vlad_evaluator *evaluator; /* NULL: the interpreter, also for compiled programs */
    vlad_checkpointing checkpointing;
    uint64_t limit;       /* bytes of memory; 0: no limit */
    const char *run;      /* a directory that makes the program durable; NULL: none */
    verso__limits limits; /* of a durable program */
    bool stats;           /* print statistics at the end */
    bool checks;          /* test derivatives and print the results at the end (check.h) */
    uint64_t seed;        /* of these tests; 0 stands for 1 */
    bool refuted;         /* result: not all tests passed */
    bool collects;        /* for tests: collect memory whenever possible */
    uint32_t stress;      /* for tests: interpret one of `stress` regions; 0: none */
} vlad_settings;

/* Sets the budget of checkpoint-*j from the text of --memory. Call it before vlad_settings_schedule. */
verso_status vlad_settings_memory(vlad_settings *settings, const char *text, verso_error *error);
/* Sets the schedule of checkpoint-*j from the text of --schedule, in the syntax of VERSO_SCHEDULE; NULL: the
 * default. */
verso_status vlad_settings_schedule(vlad_settings *settings, const char *text, verso_error *error);
/* Sets the schedule if nothing is asked for: with a budget, the fastest within it; without one, the fastest within a
 * default of 64 MiB, which grows if it is too small; for a durable program (set settings->run before) VLAD_KIND with a
 * fixed leaf. */
verso_status vlad_settings_default(vlad_settings *settings, verso_error *error);
verso_status vlad_settings_limit(vlad_settings *settings, const char *text, verso_error *error);
verso_status vlad_settings_seed(vlad_settings *settings, const char *text, verso_error *error);

/* Returns the limit of the machine in bytes: the lesser of limit and budget; 0: no limit. */
uint64_t vlad_limit(const vlad_settings *settings);

/* Sets the limits of a durable program from the environment, then from options (NULL: not given). */
verso_status vlad_settings_limits(vlad_settings *settings, const char *interval, const char *time_limit,
                                  verso_error *error);

/* Runs the program. `code` is NULL if everything is interpreted. Statistics, test results, notices and progress go
 * to `messages`. Returns VERSO_STATUS_SUSPENDED if a durable program was asked to stop; another process can
 * continue it. */
verso_status vlad_run(vlad_sources *sources, const vlad_program *program, const vlad_code *code,
                      vlad_settings *settings, FILE *in, FILE *out, FILE *messages, verso_error *error);

/* Prints statistics of the run so far. */
void vlad_print_statistics(const vlad_settings *settings, const vlad_machine *machine, FILE *messages);

/* The main function of a compiled program. `arguments` follow the program's name and end with NULL. Error messages
 * go to `messages`. Returns the exit status. */
int vlad_run_compiled(const vlad_code *code, const vlad_embedded *texts, size_t count, char **arguments, FILE *in,
                      FILE *out, FILE *messages);

#endif
