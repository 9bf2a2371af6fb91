/* `verso profile`: prints what checkpointing each call of a program costs and saves. */
#include "cli/profile.h"

#include "base/quantity.h"
#include "cli/message.h"
#include "cli/picture.h"
#include "profile/sites.h"

#include <errno.h>
#include <string.h>

enum { OPTION_SITES, OPTION_TIME_LIMIT, OPTION_MEMORY, OPTION_OUT, OPTION_HTML, OPTION_JSON, OPTION_HELP };

static const char *const synopses[] = {
    "[--sites FILE] [--time-limit SECONDS] [--memory BYTES] [--out FILE] [--html FILE] [--json] "
    "-- PROGRAM [ARGUMENT]...",
    NULL};
static const char *const description[] = {
    "Runs a program that was compiled by 'verso cc', and prints what checkpointing each of its calls costs and saves "
    "in its first gradient. A call that is checkpointed (on) is not recorded: a snapshot is taken before it, and it is "
    "recorded when the reverse sweep reaches it. That takes time, and saves memory if its recording is larger than the "
    "snapshot.",
    "Each line shows what switching that one call would change: the time of the gradient, the bytes of recordings and "
    "snapshots when the reverse sweep begins (the turn), and their peak. Bytes are exact. Calls that are on are "
    "listed in three groups: switching them off saves time and memory; saves time at the same peak; saves time but "
    "costs memory.",
    "The gradient is computed in a single pass with all calls on; budgets from the program's options and the "
    "environment are ignored. If the program computes several gradients, only the first one is profiled. The program's "
    "output is passed on (with --json to standard error).",
    "A profile is limited to 60 seconds (--time-limit) and to three quarters of the machine's available memory "
    "(--memory). When a limit is reached, or after Ctrl-C, the profile covers only a part of the run: the command "
    "prints its share, estimates the costs of the whole run from it, and ends the program without a gradient. A second "
    "Ctrl-C ends everything at once.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_SITES] = {.name = "sites",
                      .argument = "FILE",
                      .meaning = "Start from the choice of calls in FILE, e.g. verso.sites. Calls that it does not "
                                 "name are on (default: all calls are on).",
                      .heading = "Options"},
    [OPTION_TIME_LIMIT] = {.name = "time-limit",
                           .argument = "SECONDS",
                           .meaning = "Cut the profile after this many seconds (default 60)."},
    [OPTION_MEMORY] = {.name = "memory",
                       .argument = "BYTES",
                       .meaning = "Cut the profile when recordings and snapshots take this much memory: 64000000, 64M, "
                                  "1.5G, 64Mi."},
    [OPTION_OUT] = {.name = "out",
                    .argument = "FILE",
                    .meaning = "Write the choice to FILE, one line per call. You may edit it; the program reads it if "
                               "VERSO_SITES=FILE is set."},
    [OPTION_HTML] = {.name = "html", .argument = "FILE", .meaning = "Write an HTML page with the tables."},
    [OPTION_JSON] = {.name = "json", .meaning = "Print JSON."},
    [OPTION_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and exit."},
};
static const cli_example examples[] = {
    {"verso cc -O2 -g examples/native/ice.c examples/native/support/study.c -lm -o ice", "Makes the program below."},
    {"verso profile -- ./ice", "What each call of ./ice costs and saves when all are checkpointed."},
    {"verso profile --sites verso.sites --html profile.html -- ./ice", "The same, starting from another choice."},
    {NULL, NULL},
};

static int read_memory(profile_task *task, const char *text) {
    verso_error error;
    verso_status status = verso__memory_read("--memory", text, &task->memory, &error);
    return status == VERSO_STATUS_OK ? CLI_OK : cli_library_error(task->command, status, &error);
}

static int read_sites(profile_task *task, const char *path) {
    size_t size;
    verso_error error;
    char *text = cli_file_read(&task->region, path, &size);
    if (!text)
        return cli_failure(task->command, "cannot read '%s': %s", path, strerror(errno));
    verso_status status = verso__sites_apply(task->sites, task->profile->count, path, text, &task->plan, &error);
    return status == VERSO_STATUS_OK ? CLI_OK : cli_failure(task->command, "%s", error.message);
}

static void print_json(const profile_task *task) {
    verso__text text = {.sink = profile_print, .context = stdout};
    verso__json json = {.text = &text};
    verso__json_open(&json, NULL, '{');
    verso__json_string(&json, "program", task->view.program);
    verso__json_double(&json, "seconds", task->view.cost.seconds);
    verso__json_wide(&json, "turn_bytes", task->view.cost.turn_bytes);
    verso__json_wide(&json, "peak_bytes", task->view.cost.peak_bytes);
    verso__json_wide(&json, "memory_bytes", task->view.cost.memory_bytes);
    verso__json_bool(&json, "complete", !task->profile->run.cut);
    verso__json_double(&json, "part", 1 / (1 + task->profile->run.beyond));
    profile_put_sites(&json, task);
    verso__json_close(&json, '}');
    verso__text_string(&text, "\n");
    (void)verso__text_close(&text); /* cli_finish_output reports a failed write */
}

static int print_page(const profile_task *task) {
    size_t on = 0;
    for (size_t i = 0; i < task->profile->count; i++)
        on += task->sites[i].on;
    printf("%s: the first gradient, %zu of %zu calls checkpointed\n\n", task->view.program, on, task->profile->count);
    printf("  time      %s\n", verso__duration(task->view.cost.seconds).text);
    printf("  memory    %s: %s bytes in all, besides the program's own\n",
           verso__bytes((double)task->view.cost.memory_bytes).text, verso__grouped(task->view.cost.memory_bytes).text);
    printf("  peak      %s: %s bytes of recordings and snapshots\n",
           verso__bytes((double)task->view.cost.peak_bytes).text, verso__grouped(task->view.cost.peak_bytes).text);
    printf("  at turn   %s\n", verso__bytes((double)task->view.cost.turn_bytes).text);
    if (task->profile->run.cut)
        printf("\n");
    profile_print_part(task);
    return profile_print_groups(stdout, task);
}

static verso_status write_page(const void *context, verso_sink sink, void *to) {
    return verso__profile_html(context, sink, to);
}

static verso_status write_html(void *context, verso_sink sink, void *to, verso_error *error) {
    (void)error;
    return profile_write_page(write_page, context, sink, to);
}

static int report(profile_task *task) {
    const char *out = task->arguments.values[OPTION_OUT], *html = task->arguments.values[OPTION_HTML];
    int status = out ? profile_write_sites(task, out) : CLI_OK;
    if (status == CLI_OK && html)
        status = cli_write_text(task->command, html, write_html, &task->view);
    if (status != CLI_OK)
        return status;
    if (!task->json)
        return print_page(task);
    print_json(task);
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv) {
    profile_task task;
    bool help;
    int status = profile_open(&task, command, argc, argv, OPTION_HELP, &help);
    if (status != CLI_OK || help)
        return profile_close(&task, status);
    task.json = task.arguments.values[OPTION_JSON] != NULL;
    status = profile_read_limit(&task, task.arguments.values[OPTION_TIME_LIMIT]);
    if (status == CLI_OK && task.arguments.values[OPTION_MEMORY])
        status = read_memory(&task, task.arguments.values[OPTION_MEMORY]);
    if (status == CLI_OK)
        status = profile_run(&task);
    if (status == CLI_OK && task.arguments.values[OPTION_SITES])
        status = read_sites(&task, task.arguments.values[OPTION_SITES]);
    if (status == CLI_OK) {
        profile_predict(&task);
        status = report(&task);
    }
    return profile_close(&task, status);
}

const cli_command cli_profile = {
    .name = "profile",
    .summary = "show what checkpointing each call of a program costs and saves",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .passes_on = true,
    .exit_status = "0: Success. 2: The command line is wrong. Other: the exit status of the program if it failed (128 "
                   "+ N if signal N ended it), or 1 for any other failure.",
    .examples = examples,
    .run = run,
};
