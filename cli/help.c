/* `verso help`: prints the help text of a subcommand. Hidden options print man pages and completion scripts, for
 * tests/cli/generated.sh. */
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"

#include <stdio.h>

enum { OPTION_HELP, OPTION_MAN, OPTION_COMPLETION };

static const char *const synopses[] = {"[COMMAND]", NULL};
static const char *const description[] = {"Prints the help text of a command, or lists all commands.", NULL};
static const cli_option options[] = {
    [OPTION_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and exit.", .heading = "Options"},
    [OPTION_MAN] = {.name = "man",
                    .argument = "COMMAND",
                    .meaning = "Print the man page of a command.",
                    .hidden = true},
    [OPTION_COMPLETION] = {.name = "completion",
                           .argument = "bash|zsh|fish",
                           .meaning = "Print the completion script of a shell.",
                           .hidden = true},
};
static const cli_example examples[] = {{"verso help plan", "The same as 'verso plan --help'."}, {NULL, NULL}};

/* cli_command.term of `verso help`: all commands except `help` itself. */
static bool command_term(size_t index, cli_item *item) {
    for (size_t i = 0; cli_commands[i]; i++) {
        if (cli_commands[i] == &cli_help)
            continue;
        if (index-- == 0) {
            item->term = cli_commands[i]->name;
            snprintf(item->text, sizeof item->text, "%s.", cli_commands[i]->summary);
            return true;
        }
    }
    return false;
}

static int describe(const cli_command *command, const char *name, void (*print)(FILE *, const cli_command *)) {
    const cli_command *found = cli_command_find(name);
    if (!found)
        return cli_unknown_command(command, name);
    print(stdout, found);
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv) {
    cli_arguments arguments;
    int status = cli_options_read(command, argc, argv, &arguments);
    if (status != CLI_OK)
        return status;
    if (arguments.operand_count > 1)
        return cli_usage_error(command, "unexpected argument '%s'", arguments.operands[1]);
    if (arguments.values[OPTION_HELP])
        return describe(command, command->name, cli_describe_help);
    if (arguments.values[OPTION_MAN])
        return describe(command, arguments.values[OPTION_MAN], cli_describe_manual);
    const char *shell = arguments.values[OPTION_COMPLETION];
    if (shell && !cli_describe_completion(stdout, shell))
        return cli_usage_error(command, "there is no completion for '%s', only for bash, zsh and fish", shell);
    if (shell)
        return CLI_OK;
    return describe(command, arguments.operand_count ? arguments.operands[0] : "verso", cli_describe_help);
}

const cli_command cli_help = {
    .name = "help",
    .summary = "show help on a command",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .terms_heading = "Commands",
    .term = command_term,
    .examples = examples,
    .run = run,
};
