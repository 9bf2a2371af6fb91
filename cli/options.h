/* Reading a command line by a subcommand's option table. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

typedef struct cli_arguments {
    const char *values[CLI_OPTIONS_MAX]; /* by place in the table: NULL when not given, "" for one without argument */
    int operand_count;
    char **operands;
} cli_arguments;

/* CLI_OK, or CLI_USAGE after a message. The last of several values of one option counts. `argv` is reordered. */
int cli_options_read(const cli_command *command, int argc, char **argv, cli_arguments *arguments);

#endif
