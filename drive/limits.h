/* Interval and time limit of durable runs, given by environment variables or by options of commands:
 *
 *   VERSO_INTERVAL=SECONDS    --interval     make a restart point at least this often
 *   VERSO_TIME_LIMIT=SECONDS  --time-limit   suspend the run after this much time
 *
 * An empty variable counts as unset. */
#ifndef VERSO_DRIVE_LIMITS_H
#define VERSO_DRIVE_LIMITS_H

#include <verso/run.h>
#include <verso/status.h>

/* The exit status of a program whose durable run was suspended: EX_TEMPFAIL of sysexits.h, "try again". */
enum { VERSO_EXIT_SUSPENDED = 75 };

typedef struct verso__limits {
    double interval, time_limit; /* seconds; 0: not set */
} verso__limits;

/* Reads the environment variables. Returns VERSO_STATUS_INVALID, with the name of the variable, if one is not a
 * number of seconds. */
verso_status verso__limits_read(verso__limits *limits, verso_error *error);
/* Reads the values of options, which are NULL if not given and else replace those in *limits. */
verso_status verso__limits_options(verso__limits *limits, const char *interval, const char *time_limit,
                                   verso_error *error);
/* Sets the fields of *run that are 0. */
void verso__limits_apply(const verso__limits *limits, verso_run_options *run);

#endif
