/* Reads a command line by the option table of a subcommand. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* One value of an option that may be given several times. */
typedef struct cli_given {
    size_t option; /* index in the option table */
    const char *value;
} cli_given;

typedef struct cli_arguments {
    /* Values by index in the option table: NULL if the option is not given, "" if it is given and takes no argument. If
     * it is given several times, the last value. */
    const char *values[CLI_OPTIONS_MAX];
    cli_given *given;   /* all values of options that repeat, in the order of the command line */
    size_t given_count; /* number of entries in `given` */
    int operand_count;  /* number of operands */
    char **operands;    /* arguments that are neither options nor their values */
    int passed_count;   /* number of arguments after "--"; 0 unless the command has passes_on */
    char **passed;      /* these arguments */
} cli_arguments;

/* Reads the command line into `arguments`, whose strings point into argv; reorders argv. Returns CLI_OK, or another
 * exit status after printing a message. The caller frees `arguments`, also after a failure. (Not necessary if the
 * command has no option that repeats.) */
int cli_options_read(const cli_command *command, int argc, char **argv, cli_arguments *arguments);
void cli_arguments_free(cli_arguments *arguments);

/* Prints an error message: there is no option `word` ("--stpes" or "--stpes=3"), and which one was probably meant.
 * Returns CLI_USAGE. */
int cli_unknown_option(const cli_command *command, const char *word);

#endif
