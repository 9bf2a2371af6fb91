/* Prints the record of a subcommand (command.h) as help text, man page and completion scripts. The functions do not
 * check for write errors; the caller calls ferror once. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "cli/command.h"

#include <stdio.h>

/* Prints the help text. */
void cli_describe_help(FILE *out, const cli_command *command);
/* Prints the man page for section 1, in man(7) macros. */
void cli_describe_manual(FILE *out, const cli_command *command);
/* Prints the completion script of all subcommands for `shell`: "bash", "zsh" or "fish". Returns false, and prints
 * nothing, for any other name. */
bool cli_describe_completion(FILE *out, const char *shell);

/* The exit statuses that most subcommands have. An entry whose meaning is NULL ends the list. */
typedef struct cli_exit_status {
    int code;
    const char *meaning;
} cli_exit_status;
extern const cli_exit_status cli_exit_statuses[];

#endif
