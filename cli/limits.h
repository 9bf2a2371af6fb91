/* Table entries of the options --interval and --time-limit, for commands whose runs can be durable.
 * drive/limits.h reads the values. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#define CLI_INTERVAL_OPTION \
    {.name = "interval", \
     .argument = "SECONDS", \
     .meaning = "With --run: maximum number of seconds between two restart points (default 60). The first ones are " \
                "made sooner. Same as the variable VERSO_INTERVAL."}
#define CLI_TIME_LIMIT_OPTION \
    {.name = "time-limit", \
     .argument = "SECONDS", \
     .meaning = \
         "With --run: suspend the run after this many seconds and exit with status 75; the same command continues " \
         "it. For batch queues. Not to be confused with --time, the repetitions of a schedule. Same as the variable " \
         "VERSO_TIME_LIMIT."}
/* The text for cli_command.exit_status of these commands. */
#define CLI_DURABLE_EXIT_STATUS \
    "0: Success; all output was written. 1: Failure; the message names the reason. 2: The command line is wrong. 75: " \
    "A durable run (--run) was suspended by SIGINT (Ctrl-C), SIGTERM or its time limit; the same command continues " \
    "it."

#endif
