/* `verso version`: prints the version of the library that the command is linked with. */
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"

#include <verso/version.h>

#include <stdio.h>

enum { OPTION_HELP };

static const char *const synopses[] = {"", NULL};
static const char *const description[] = {"Shows the version of Verso.", NULL};
static const cli_option options[] = {
    [OPTION_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and exit.", .heading = "Options"},
};
static const cli_example examples[] = {{"verso version", "Prints, for example, 'verso " VERSO_VERSION "'."},
                                       {NULL, NULL}};

static int run(const cli_command *command, int argc, char **argv) {
    cli_arguments arguments;
    int status = cli_options_read(command, argc, argv, &arguments);
    if (status != CLI_OK)
        return status;
    if (arguments.values[OPTION_HELP]) {
        cli_describe_help(stdout, command);
        return CLI_OK;
    }
    if (arguments.operand_count > 0)
        return cli_usage_error(command, "unexpected argument '%s'", arguments.operands[0]);
    printf("verso %s\n", verso_version());
    return CLI_OK;
}

const cli_command cli_version = {
    .name = "version",
    .summary = "show the version",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .run = run,
};
