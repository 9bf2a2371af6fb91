/* `verso status`: asks the library how a durable run stands, and hands the answer to the printer that was chosen. */
#include "cli/status.h"

#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"

enum { OPTION_JSON, OPTION_HELP };

static const char *const synopses[] = {"DIRECTORY [--json]", NULL};
static const char *const description[] = {
    "Shows how the durable run in DIRECTORY stands: whether a process is at work on it, how far it has come, how long "
    "it "
    "will still take, and what would be lost if it died now.",
    "A run is running while a process is at work on it; done when the gradient is there; suspended when it was ended "
    "in "
    "good order; else interrupted. The program, run again, goes on where a suspended run stood, and from the last "
    "restart "
    "point of an interrupted one; of a run that is done it loads the result.",
    "It only looks, so it may be asked at any time, also while the run is at work.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_JSON] = {.name = "json", .meaning = "Print JSON; what is not known is null.", .heading = "Options"},
    [OPTION_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and end."},
};
static const cli_example examples[] = {
    {"verso status runs/today", "One page."},
    {"verso status runs/today --json | jq .now.seconds_left", "The seconds that are left, for a script."},
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
        return cli_usage_error(command, "'%s' is one word too many", arguments.operands[1]);
    verso_run_status status;
    verso_error error;
    if (verso_run_status_read(arguments.operands[0], &status, &error) != VERSO_OK)
        return cli_failure(command, "%s", error.message);
    if (arguments.values[OPTION_JSON])
        status_print_json(stdout, arguments.operands[0], &status);
    else
        status_print_page(stdout, arguments.operands[0], &status);
    return CLI_OK;
}

const cli_command cli_status = {
    .name = "status",
    .summary = "show how a durable run stands",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_directory = true,
    .examples = examples,
    .run = run,
};
