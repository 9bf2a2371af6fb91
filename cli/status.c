/* `verso status`: reads the status of a durable run with verso_run_status_read and prints it as a page or as JSON. */
#include "cli/status.h"

#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"

enum { OPTION_JSON, OPTION_HELP };

static const char *const synopses[] = {"DIRECTORY [--json]", NULL};
static const char *const description[] = {
    "Shows the status of the durable run in DIRECTORY: whether a process is running it, how far it has come, how much "
    "longer it will take, and what would be lost if it died now.",
    "A run is 'running' while a process computes it, 'done' when the gradient is computed, 'suspended' if it was ended "
    "in an orderly way, else 'interrupted'. Running the program again continues a suspended run where it ended, "
    "continues an interrupted run from its last restart point, and loads the result of a run that is done.",
    "For a VLAD program ('verso vlad --run') it shows each derivative that is not done and counts the others; with "
    "--json it shows all.",
    "The command only reads, so it may be used at any time, also while the run is running.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_JSON] = {.name = "json",
                     .meaning = "Print JSON; unknown values are printed as null.",
                     .heading = "Options"},
    [OPTION_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and exit."},
};
static const cli_example examples[] = {
    {"verso status runs/today", "Prints the status for reading."},
    {"verso status runs/today --json | jq .now.seconds_left", "Prints the estimated seconds left, for a script."},
    {NULL, NULL},
};

const char *status_word(const verso_run_status *status) {
    if (status->running)
        return "running";
    if (status->done)
        return "done";
    return status->suspended ? "suspended" : "interrupted";
}

static int run(const cli_command *command, int argc, char **argv) {
    cli_arguments arguments;
    int result = cli_options_read(command, argc, argv, &arguments);
    if (result != CLI_OK)
        return result;
    if (arguments.values[OPTION_HELP]) {
        cli_describe_help(stdout, command);
        return CLI_OK;
    }
    if (arguments.operand_count == 0)
        return cli_usage_error(command, "which directory? For example: verso status runs/today");
    if (arguments.operand_count > 1)
        return cli_usage_error(command, "unexpected argument '%s'", arguments.operands[1]);
    verso_run_status status = VERSO_RUN_STATUS_INIT;
    verso_error error;
    if (status_is_vlad(arguments.operands[0])) {
        status_print_vlad(stdout, arguments.operands[0], arguments.values[OPTION_JSON] != NULL);
        return CLI_OK;
    }
    if (verso_run_status_read(arguments.operands[0], &status, &error) != VERSO_STATUS_OK)
        return cli_failure(command, "%s", error.message);
    if (arguments.values[OPTION_JSON])
        status_print_json(stdout, arguments.operands[0], &status);
    else
        status_print_page(stdout, arguments.operands[0], &status);
    return CLI_OK;
}

const cli_command cli_status = {
    .name = "status",
    .summary = "show the status of a durable run",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_directory = true,
    .examples = examples,
    .run = run,
};
