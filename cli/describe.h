/* A subcommand's record as text for people and for shells. None of these checks its writes: the caller asks ferror
 * once. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "cli/command.h"

#include <stdio.h>

/* What `--help` shows. */
void cli_describe_help(FILE *out, const cli_command *command);
/* The page for man(1), in man(7) macros. */
void cli_describe_manual(FILE *out, const cli_command *command);
/* A completion script of all subcommands; false when there is none for that shell. */
bool cli_describe_completion(FILE *out, const char *shell);

/* One row of an exit status list; NULL text ends it. */
typedef struct cli_exit_status {
    int code;
    const char *meaning;
} cli_exit_status;
extern const cli_exit_status cli_exit_statuses[];

#endif
