/* Runs another program and waits for it. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include "cli/command.h"

#include <signal.h>
#include <stdbool.h>

typedef struct cli_process {
    const char *path;             /* path of the program; a name without `/` is searched in PATH */
    const char *const *arguments; /* argv, including the program's name; NULL ends the list */
    const char *output;           /* file for its standard output; NULL: see shares_output */
    bool shares_output;           /* without `output`: use our standard output, else our standard error */
    const char *errors;           /* file for its standard error; NULL: ours */
    const sigset_t *mask;         /* its signal mask; NULL: ours */
    const char *temporary;        /* its TMPDIR; NULL: ours */
    double seconds_most;          /* maximum duration in seconds, after which it is killed; 0: no limit */
} cli_process;

/* How a program ended. */
typedef struct cli_ending {
    bool exited;     /* it exited; else a signal ended it */
    int code;        /* exit status, if it exited */
    int signal;      /* signal that ended it, if it did not exit */
    double seconds;  /* elapsed time of its run */
    int interrupted; /* SIGINT, SIGTERM or another signal that this process received meanwhile and passed on; 0: none */
} cli_ending;

/* Runs a program and waits for its end. Returns CLI_OK if it was started, whatever its exit status; CLI_FAILED after a
 * message otherwise. The program is killed if this process dies. Signals that ask this process to end are passed on to
 * the program and recorded in ending->interrupted; the caller cleans up and calls cli_end_interrupted. */
int cli_process_run(const cli_command *command, const cli_process *process, cli_ending *ending);
/* Blocks the signals that ask this process to end, so that it can remove what it makes; sets *before to the mask
 * before, for sigprocmask, and for the programs that it runs meanwhile. */
void cli_block_endings(sigset_t *before);
/* Ends this process by the signal `number`, as if it had not been caught. Returns only if the number is 0. */
void cli_end_interrupted(int number);

#endif
