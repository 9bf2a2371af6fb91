/* The `verso` command: finds the subcommand in the table cli_commands and calls its run function with the rest of the
 * command line. */
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"

#include <verso/version.h>

#include <stdio.h>
#include <string.h>

const cli_command *const cli_commands[] = {&cli_cc,      &cli_cpp,     &cli_fc,   &cli_grad,    &cli_check,
                                           &cli_library, &cli_profile, &cli_tune, &cli_plan,    &cli_rev,
                                           &cli_vlad,    &cli_status,  &cli_help, &cli_version, NULL};

const cli_command *cli_command_find(const char *name) {
    if (strcmp(name, "verso") == 0)
        return &cli_verso;
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

static bool subcommand_term(size_t index, cli_item *item) {
    const cli_command *command = cli_commands[index];
    if (!command)
        return false;
    item->term = command->name;
    snprintf(item->text, sizeof item->text, "%s.", command->summary);
    return true;
}

static int print_version(void) {
    printf("verso %s\n", verso_version());
    return CLI_OK;
}

int cli_unknown_command(const cli_command *command, const char *name) {
    verso__suggestion suggestion;
    verso__suggest_begin(&suggestion, name, strlen(name));
    for (size_t i = 0; cli_commands[i]; i++)
        verso__suggest_word(&suggestion, cli_commands[i]->name);
    if (suggestion.best)
        return cli_usage_error(command, "there is no command '%s'; did you mean '%s'?", name, suggestion.best);
    return cli_usage_error(command, "there is no command '%s'", name);
}

static int run_verso(const cli_command *self, int argc, char **argv) {
    if (argc < 2) {
        cli_describe_help(stderr, self);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        cli_describe_help(stdout, self);
        return CLI_OK;
    }
    if (strcmp(name, "--version") == 0)
        return print_version();
    if (strncmp(name, "--", 2) == 0)
        return cli_unknown_option(self, name);
    if (name[0] == '-')
        return cli_usage_error(self, "there is no option '%s' before a command", name);
    const cli_command *command = cli_command_find(name);
    if (!command || command == self)
        return cli_unknown_command(self, name);
    return command->run(command, argc - 1, argv + 1);
}

static const char *const verso_synopses[] = {"COMMAND [ARGUMENT]...", "--help", "--version", NULL};
static const char *const verso_description[] = {
    "Verso computes gradients of long computations in little memory, and can continue them after the machine fails.",
    "Run 'verso help COMMAND' or 'verso COMMAND --help' for help on a command.",
    NULL,
};
static const cli_option verso_options[] = {
    {.name = "help", .letter = 'h', .meaning = "Show this help and exit.", .heading = "Options"},
    {.name = "version", .meaning = "Show the version and exit."},
};
static const cli_example verso_examples[] = {
    {"verso grad examples/native/rosenbrock.c:f --at -1.2,1", "The gradient of a C function."},
    {"verso plan revolve --steps 350k --slots 52", "The cost of reversing 350,000 steps with memory for 52 states."},
    {"verso plan --compare --steps 1000 --slots 20", "All kinds of schedule in one table."},
    {"verso status runs/today", "The progress of a durable run, and what it would lose if it died now."},
    {NULL, NULL},
};

const cli_command cli_verso = {
    .name = "",
    .summary = "gradients of long computations in little memory",
    .synopses = verso_synopses,
    .description = verso_description,
    .options = verso_options,
    .option_count = sizeof verso_options / sizeof *verso_options,
    .terms_heading = "Commands",
    .term = subcommand_term,
    .examples = verso_examples,
    .run = run_verso,
};

int main(int argc, char **argv) {
    int status = cli_verso.run(&cli_verso, argc, argv);
    return cli_finish_output(&cli_verso, status);
}
