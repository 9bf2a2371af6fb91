/* The options that `verso grad` and `verso check` have in common (derive.h). The tables of both commands begin with
 * these and end with DERIVE_HELP_OPTION. */
#ifndef CLI_DERIVE_TABLE_H
#define CLI_DERIVE_TABLE_H

#include "cli/limits.h"
#include "cli/options.h"

enum {
    DERIVE_AT,
    DERIVE_SET,
    DERIVE_OF,
    DERIVE_WEIGHTS,
    DERIVE_MEMORY,
    DERIVE_SCHEDULE,
    DERIVE_SLOTS,
    DERIVE_LEAF,
    DERIVE_SPACE,
    DERIVE_TIME,
    DERIVE_LOG,
    DERIVE_SPLIT,
    DERIVE_OFFLOAD,
    DERIVE_RUN,
    DERIVE_INTERVAL,
    DERIVE_TIME_LIMIT,
    DERIVE_REPORT,
    DERIVE_JSON,
    DERIVE_KEEP,
    DERIVE_OPTIONS
};
#define DERIVE_OPTION_TABLE \
    [DERIVE_AT] = {.name = "at", \
                   .argument = "VALUES", \
                   .meaning = "The point: numbers for the floating-point parameters in order, separated by commas, " \
                              "or @FILE to read them from a file. NAME=VALUES gives the numbers of one parameter.", \
                   .heading = "The point", \
                   .repeats = true}, \
    [DERIVE_SET] = {.name = "set", \
                    .argument = "NAME=VALUE", \
                    .meaning = "The value of a parameter that is held constant: integers, strings, arrays of " \
                               "integers (@FILE), floating-point constants, NULL.", \
                    .repeats = true}, \
    [DERIVE_OF] = {.name = "of", \
                   .argument = "NAME", \
                   .meaning = "Differentiate what the function writes to this array, instead of its return value.", \
                   .heading = "What is differentiated"}, \
    [DERIVE_WEIGHTS] = {.name = "weights", \
                        .argument = "VALUES", \
                        .meaning = "With --of: one weight for each element of the array (numbers or @FILE; default: " \
                                   "all 1). The weighted sum is differentiated."}, \
    [DERIVE_MEMORY] = {.name = "memory", \
                       .argument = "BYTES", \
                       .meaning = "The budget: bytes for recordings, capsules and shadow memory, in addition to the " \
                                  "program's own memory, e.g. 64M, or 64Mi for powers of 1024. What does not fit is " \
                                  "computed again. Without it, the whole run is recorded.", \
                       .heading = "Memory"}, \
    [DERIVE_SCHEDULE] = {.name = "schedule", \
                         .argument = "KIND", \
                         .meaning = "Which states are kept and which steps are run again: auto (default: a single " \
                                    "pass that records everything if that fits, else online), or a kind of 'verso " \
                                    "plan', which may be followed by its options: disk,slots=10,write=4,read=2."}, \
    [DERIVE_SLOTS] = {.name = "slots", \
                      .argument = "C", \
                      .meaning = "Maximum number of capsules in memory (default: as many as the budget holds)."}, \
    [DERIVE_LEAF] = {.name = "leaf", \
                     .argument = "BYTES", \
                     .meaning = "The length of a step, in bytes of recording (default: chosen from the budget)."}, \
    [DERIVE_SPACE] = {.name = "space", \
                      .argument = "D", \
                      .meaning = "For treeverse and binary: the maximum number of snapshots."}, \
    [DERIVE_TIME] = {.name = "time", \
                     .argument = "T", \
                     .meaning = "For treeverse and binary: the maximum number of repetitions. (To limit the duration " \
                                "of a run, use --time-limit.)"}, \
    [DERIVE_LOG] = {.name = "log", \
                    .meaning = "For treeverse and binary: let snapshots and repetitions both grow with the logarithm " \
                               "of the steps (default)."}, \
    [DERIVE_SPLIT] = {.name = "split", \
                      .argument = "binomial|bisection|halves", \
                      .meaning = "For treeverse and binary: where a stretch is divided: by binomial coefficients " \
                                 "(default), in the middle, or in the middle until no leaf is longer than --leaf."}, \
    [DERIVE_OFFLOAD] = {.name = "offload", \
                        .argument = "DIRECTORY", \
                        .meaning = \
                            "Instead of a budget: record everything in a single pass, and move what does not fit " \
                            "into memory to a file in DIRECTORY. Options may follow the name: " \
                            "DIRECTORY,limit=BYTES (maximum size of the recording in memory; default 256Mi), " \
                            "DIRECTORY,synchronous (use no thread)."}, \
    [DERIVE_RUN] = {.name = "run", \
                    .argument = "DIRECTORY", \
                    .meaning = "Make the run durable: if it is killed at any instant, the same command continues it " \
                               "from DIRECTORY; a finished run is not computed again. SIGINT (Ctrl-C) and SIGTERM " \
                               "suspend it; the exit status is then 75."}, \
    [DERIVE_INTERVAL] = CLI_INTERVAL_OPTION, [DERIVE_TIME_LIMIT] = CLI_TIME_LIMIT_OPTION, \
    [DERIVE_REPORT] = {.name = "report", \
                       .argument = "FILE", \
                       .meaning = "Write a report with predicted and actual costs: JSON if the name ends in .json, " \
                                  "an HTML page if it ends in .html."}, \
    [DERIVE_JSON] = {.name = "json", .meaning = "Print JSON.", .heading = "Output"}, \
    [DERIVE_KEEP] = {.name = "keep", \
                     .argument = "DIRECTORY", \
                     .meaning = "Keep the generated program in DIRECTORY: its sources, input and result."}
#define DERIVE_HELP_OPTION {.name = "help", .letter = 'h', .meaning = "Show this help and exit."}

#endif
