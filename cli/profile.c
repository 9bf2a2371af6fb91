/* `verso profile`: what checkpointing each call costs and saves. */
#include "cli/profile.h"

#include "cli/message.h"
#include "cli/picture.h"
#include "profile/sites.h"

#include <errno.h>
#include <string.h>

enum { OPTION_SITES, OPTION_OUT, OPTION_HTML, OPTION_JSON, OPTION_HELP };

static const char *const synopses[] = {"[--sites FILE] [--out FILE] [--html FILE] [--json] -- PROGRAM [ARGUMENT]...",
                                       NULL};
static const char *const description[] = {
    "Runs a program that 'verso cc' has compiled, and tells what checkpointing each of its calls costs and saves in "
    "its "
    "first gradient. A call that is checkpointed (on) is not recorded: a snapshot is taken in front of it, and it is "
    "recorded when the reverse sweep comes to it. That takes time, and saves the memory by which its recording is "
    "larger than the snapshot.",
    "Each line says what switching that one call would change: the time of the gradient, the bytes of recordings and "
    "snapshots when the reverse sweep begins (the turn), and at their peak. Bytes are exact. Calls that are on stand "
    "in three groups: switching them off gains time and memory; gains time, and the peak stays; gains time for memory.",
    "The gradient is computed at one go, with all calls on, whatever the program's options and the environment say of "
    "budgets. If the program computes several, the first counts. Its output is passed on (with --json to the standard "
    "error).",
    NULL,
};
static const cli_option options[] = {
    [OPTION_SITES] = {.name = "sites",
                      .argument = "FILE",
                      .meaning = "The choice of calls to be looked at: verso.sites. Calls that it does not name are "
                                 "on, as all are without it.",
                      .heading = "Options"},
    [OPTION_OUT] = {.name = "out",
                    .argument = "FILE",
                    .meaning =
                        "Write that choice to a file, a line for each call, to be edited and read by the program "
                        "(VERSO_SITES=FILE)."},
    [OPTION_HTML] = {.name = "html", .argument = "FILE", .meaning = "Write a page with the tables."},
    [OPTION_JSON] = {.name = "json", .meaning = "Print JSON."},
    [OPTION_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and end."},
};
static const cli_example examples[] = {
    {"verso profile -- ./ice input.txt", "What each call of ./ice costs and saves when all are checkpointed."},
    {"verso profile --sites verso.sites --html profile.html -- ./ice", "The same beginning from another choice."},
    {NULL, NULL},
};

static int read_sites(profile_task *task, const char *path) {
    size_t size;
    verso_error error;
    char *text = cli_file_read(&task->region, path, &size);
    if (!text)
        return cli_failure(task->command, "cannot read '%s': %s", path, strerror(errno));
    verso_status status = verso_sites_apply(task->sites, task->profile->count, path, text, &task->plan, &error);
    return status == VERSO_OK ? CLI_OK : cli_failure(task->command, "%s", error.message);
}

static void print_json(const profile_task *task) {
    verso_text text = {.sink = profile_print, .context = stdout};
    verso_json json = {.text = &text};
    verso_json_open(&json, NULL, '{');
    verso_json_string(&json, "program", task->view.program);
    verso_json_double(&json, "seconds", task->view.cost.seconds);
    verso_json_wide(&json, "turn_bytes", task->view.cost.turn_bytes);
    verso_json_wide(&json, "peak_bytes", task->view.cost.peak_bytes);
    verso_json_wide(&json, "memory_bytes", task->view.cost.memory_bytes);
    profile_put_sites(&json, task);
    verso_json_close(&json, '}');
    verso_text_string(&text, "\n");
    (void)verso_text_close(&text); /* a write that failed is remembered by stdout */
}

static int print_page(const profile_task *task) {
    size_t on = 0;
    for (size_t i = 0; i < task->profile->count; i++)
        on += task->sites[i].on;
    printf("%s: the first gradient, %zu of %zu calls checkpointed\n\n", task->view.program, on, task->profile->count);
    printf("  time      %s\n", verso_duration(task->view.cost.seconds).text);
    printf("  memory    %s: %s bytes in all, besides the program's own\n",
           verso_bytes((double)task->view.cost.memory_bytes).text, verso_grouped(task->view.cost.memory_bytes).text);
    printf("  peak      %s: %s bytes of recordings and snapshots\n",
           verso_bytes((double)task->view.cost.peak_bytes).text, verso_grouped(task->view.cost.peak_bytes).text);
    printf("  at turn   %s\n", verso_bytes((double)task->view.cost.turn_bytes).text);
    return profile_print_groups(stdout, task);
}

static verso_status write_html(void *context, verso_sink sink, void *to, verso_error *error) {
    (void)error;
    return verso_profile_html(context, sink, to);
}

static int tell(profile_task *task) {
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
    status = profile_run(&task);
    if (status == CLI_OK && task.arguments.values[OPTION_SITES])
        status = read_sites(&task, task.arguments.values[OPTION_SITES]);
    if (status == CLI_OK) {
        profile_look(&task);
        status = tell(&task);
    }
    return profile_close(&task, status);
}

const cli_command cli_profile = {
    .name = "profile",
    .summary = "what checkpointing each call of a program costs and saves",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .passes_on = true,
    .exit_status = "0: Everything was done. 2: The command line is wrong. Another: That of the program; 128 and the "
                   "signal, when one ended it; 1, when something else failed.",
    .examples = examples,
    .run = run,
};
