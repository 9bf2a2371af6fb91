/* Reading a command line by a subcommand's option table. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* One value of an option that repeats. */
typedef struct cli_given {
    size_t option; /* its place in the table */
    const char *value;
} cli_given;

typedef struct cli_arguments {
    const char *values[CLI_OPTIONS_MAX]; /* by place in the table: NULL when not given, "" for one without argument */
    cli_given *given;                    /* all values of options that repeat, in the order of the command line */
    size_t given_count;
    int operand_count;
    char **operands;
    int passed_count; /* behind "--", when the command passes them on */
    char **passed;
} cli_arguments;

/* CLI_OK, or a status after a message. The last of several values of one option counts, unless it repeats. `argv` is
 * reordered. What it fills in must be freed, also after a failure, when the command has an option that repeats. */
int cli_options_read(const cli_command *command, int argc, char **argv, cli_arguments *arguments);
void cli_arguments_free(cli_arguments *arguments);

#endif
