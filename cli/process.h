/* Running another program and waiting for it. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include "cli/command.h"

#include <stdbool.h>

typedef struct cli_process {
    const char *path;             /* of the program; a name without `/` is looked for as the shell does */
    const char *const *arguments; /* with its name; NULL ends the list */
    const char *output;           /* a file for its standard output; NULL: goes to our standard error, */
    bool shares_output;           /* or to our standard output */
    const char *errors;           /* a file for its standard error; NULL: ours */
} cli_process;

typedef struct cli_ending {
    bool exited;
    int code;        /* when it exited */
    int signal;      /* when not: what ended it */
    int interrupted; /* a signal that asked us to end meanwhile, and that the program was sent, too; 0: none */
} cli_ending;

/* CLI_OK when it ran, however it ended; CLI_FAILED after a message. */
int cli_process_run(const cli_command *command, const cli_process *process, cli_ending *ending);
/* After everything was cleaned up: ends as if nothing had kept us from it. Returns when the number of the signal is 0.
 */
void cli_end_interrupted(int number);

#endif
