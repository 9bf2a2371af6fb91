/* Runs the program that is profiled, see profile.h.
 *
 * The program is controlled by environment variables (native/api/settings.h). Variables that give its gradient a budget
 * or a schedule are removed, because a profile is made of, and predicts, a gradient in a single pass. */
#include "cli/profile.h"

#include "cli/describe.h"
#include "cli/json_read.h"
#include "cli/message.h"
#include "cli/picture.h"
#include "cli/process.h"
#include "drive/limits.h"
#include "profile/sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The default of --time-limit. */
enum { PROFILE_SECONDS = 60 };

int profile_open(profile_task *task, const cli_command *command, int argc, char **argv, int option_help, bool *help) {
    *task = (profile_task){.command = command};
    int status = cli_options_read(command, argc, argv, &task->arguments);
    *help = status == CLI_OK && task->arguments.values[option_help] != NULL;
    if (*help)
        cli_describe_help(stdout, command);
    if (status != CLI_OK || *help)
        return status;
    if (task->arguments.operand_count > 0)
        return cli_usage_error(command, "'%s': write the program after --: verso %s -- %s", task->arguments.operands[0],
                               command->name, task->arguments.operands[0]);
    if (task->arguments.passed_count == 0)
        return cli_usage_error(command, "which program? For example: verso %s%s -- ./prog", command->name,
                               command == &cli_tune ? " --memory 64M" : "");
    return cli_scratch_open(command, &task->region, NULL, &task->scratch);
}

int profile_close(profile_task *task, int status) {
    int interrupted = task->interrupted, code = task->code;
    verso_profile_free(task->profile);
    cli_scratch_close(&task->scratch);
    cli_arguments_free(&task->arguments);
    cli_region_free(&task->region);
    cli_end_interrupted(interrupted);
    return code != 0 ? code : status;
}

int profile_read_limit(profile_task *task, const char *text) {
    verso_error error;
    verso__limits limits = {.time_limit = PROFILE_SECONDS};
    verso_status status = verso__limits_options(&limits, NULL, text, &error);
    task->most = limits.time_limit;
    return status == VERSO_STATUS_OK ? CLI_OK : cli_library_error(task->command, status, &error);
}

/* ---- Running ---- */

static int set_variable(profile_task *task, const char *name, const char *value) {
    if ((value ? setenv(name, value, 1) : unsetenv(name)) == 0)
        return CLI_OK;
    return cli_failure(task->command, "out of memory");
}

/* If the program failed, prints a message and records its exit status as that of the command. Returns CLI_OK in any
 * case, because the gradients before the failure were profiled. */
static int explain_end(profile_task *task, const cli_ending *ending) {
    const char *name = task->arguments.passed[0];
    task->code = ending->exited ? ending->code : 128 + ending->signal;
    if (task->code == 0)
        return CLI_OK;
    if (ending->exited)
        cli_failure(task->command, "'%s' ended with exit status %d", name, ending->code);
    else
        cli_failure(task->command, "'%s' was ended by signal %d (%s)", name, ending->signal, strsignal(ending->signal));
    return CLI_OK;
}

static int set_environment(profile_task *task, const char *sites, const char *profile, const char *measure) {
    static const char *const removed[] = {"VERSO_MEMORY", "VERSO_SCHEDULE", "VERSO_RUN"};
    int status = CLI_OK;
    for (size_t i = 0; i < sizeof removed / sizeof *removed && status == CLI_OK; i++)
        status = set_variable(task, removed[i], NULL);
    if (status == CLI_OK)
        status = set_variable(task, "VERSO_SITES", sites);
    if (status == CLI_OK)
        status = set_variable(task, "VERSO_PROFILE", profile);
    if (status == CLI_OK)
        status = set_variable(task, "VERSO_MEASURE", measure);
    return status;
}

/* Returns CLI_OK if the program ran, however it ended; CLI_FAILED if not, or if a signal asks the command to end. */
static int start_program(profile_task *task, cli_process process, cli_ending *ending) {
    process.path = task->arguments.passed[0];
    process.arguments = (const char *const *)task->arguments.passed;
    int status = cli_process_run(task->command, &process, ending);
    task->seconds = ending->seconds;
    task->interrupted = ending->interrupted;
    return task->interrupted ? CLI_FAILED : status;
}

static int run_program(profile_task *task, const char *sites, const char *profile, const char *measure) {
    cli_ending ending;
    int status = set_environment(task, sites, profile, measure);
    if (status == CLI_OK)
        status = start_program(task, (cli_process){.shares_output = !task->json}, &ending);
    bool cut = profile && ending.exited && ending.code == CLI_SUSPENDED;
    if (cut) /* the profile is incomplete; it is printed nevertheless, also after a signal */
        return CLI_OK;
    return status == CLI_OK ? explain_end(task, &ending) : status;
}

static int no_gradient(profile_task *task) {
    if (task->code != 0) /* a message has been printed */
        return CLI_FAILED;
    return cli_failure(task->command,
                       "'%s' computed no gradient; it must call verso_gradient or verso_vjp, and must be compiled by "
                       "'verso cc' of this version",
                       task->arguments.passed[0]);
}

int profile_run(profile_task *task) {
    char *path = cli_scratch_file(&task->scratch, &task->region, "profile");
    char *limits = cli_region_print(&task->region, "%s,seconds=%.17g,memory=%llu,progress", path, task->most,
                                    (unsigned long long)task->memory);
    verso_error error;
    int status = run_program(task, NULL, limits, NULL);
    task->profiled = task->seconds;
    if (status != CLI_OK)
        return status;
    FILE *made = fopen(path, "rb");
    if (!made)
        return no_gradient(task);
    fclose(made);
    verso_status read = verso_profile_read(path, &task->profile, &error);
    if (read != VERSO_STATUS_OK)
        return cli_library_error(task->command, read, &error);
    if (task->profile->count == 0)
        return cli_failure(task->command,
                           "'%s' has no calls that can be checkpointed: all were inlined, or there are none; declare "
                           "functions noinline, or compile with -fno-inline",
                           task->arguments.passed[0]);
    if (task->profile->run.cut && verso__calltree_count(task->profile->tree) == 1)
        return cli_failure(
            task->command,
            "the profile was cut after %s, before the first call; raise --time-limit, or let the program do less",
            verso__duration(task->profiled).text);
    task->sites = cli_region_alloc(&task->region, task->profile->count, sizeof *task->sites);
    for (size_t i = 0; i < task->profile->count; i++) {
        task->sites[i] = task->profile->sites[i];
        task->sites[i].on = !task->sites[i].never;
    }
    return CLI_OK;
}

void profile_print_part(const profile_task *task) {
    const verso__profile_run *run = &task->profile->run;
    const char *why = task->interrupted ? "interrupted" : "cut by its limits of time and memory";
    if (!run->cut)
        return;
    printf("  The profile was %s after %s, and covers %.2g %% of the %s.\n"
           "  Costs of the whole run are estimated from it%s.\n",
           why, verso__duration(task->profiled).text, 100 / (1 + run->beyond),
           run->open ? "part of the run that was seen" : "run",
           task->interrupted ? "" : "; raise --time-limit for a longer profile");
}

void profile_predict(profile_task *task) {
    size_t count = task->profile->count;
    bool *on = cli_region_alloc(&task->region, count, sizeof *on);
    verso__effect *effects = cli_region_alloc(&task->region, count, sizeof *effects);
    for (size_t i = 0; i < count; i++)
        on[i] = task->sites[i].on;
    task->view = (verso__profile_view){.program = task->arguments.passed[0],
                                       .profile = task->profile,
                                       .cost = verso__profile_effects(task->profile, on, effects),
                                       .effects = effects};
}

/* ---- Files ---- */

static verso_status put_sites(void *context, verso_sink sink, void *to, verso_error *error) {
    const profile_task *task = context;
    verso__text text = {.sink = sink, .context = to};
    (void)error;
    verso__sites_put(task->sites, task->profile->count, &task->plan, &text);
    return verso__text_close(&text);
}

int profile_write_sites(profile_task *task, const char *path) {
    return cli_write_text(task->command, path, put_sites, task);
}

verso_status profile_print(void *stream, const char *text, size_t size) {
    return fwrite(text, 1, size, stream) == size ? VERSO_STATUS_OK : VERSO_STATUS_IO;
}

/* ---- Measuring ---- */

static double number_of(profile_task *task, cli_json_value line, const char *name) {
    cli_json_value value = cli_json_member(line, name);
    return value.at ? strtod(cli_region_copy(&task->region, value.at, (size_t)(value.end - value.at)), NULL) : 0;
}

/* Reads the first line of a measurement, which is that of the first gradient. *schedule: the schedule that was played.
 */
static bool read_measured(profile_task *task, const char *text, size_t size, verso_profile_cost *measured,
                          cli_json_value *schedule) {
    cli_json_value all = {text, text + size}, first;
    int64_t bytes, all_bytes;
    if (!cli_json_take(&all, &first) || !cli_json_whole(cli_json_member(first, "tape_bytes"), &bytes) ||
        !cli_json_whole(cli_json_member(first, "peak_bytes"), &all_bytes))
        return false;
    *measured = (verso_profile_cost){.peak_bytes = (uint64_t)bytes,
                                     .memory_bytes = (uint64_t)all_bytes,
                                     .seconds = number_of(task, first, "seconds_processor")};
    *schedule = cli_json_member(first, "schedule");
    return true;
}

int profile_measure(profile_task *task, verso_profile_cost *measured) {
    char *sites = cli_scratch_file(&task->scratch, &task->region, "sites");
    char *lines = cli_scratch_file(&task->scratch, &task->region, "measured");
    size_t size;
    cli_json_value schedule;
    int status = profile_write_sites(task, sites);
    if (status == CLI_OK)
        status = run_program(task, sites, NULL, lines);
    if (status != CLI_OK)
        return status;
    char *text = cli_file_read(&task->region, lines, &size);
    if (!text)
        return no_gradient(task);
    if (!read_measured(task, text, size, measured, &schedule))
        return cli_failure(task->command, "the program's measurement is incomplete");
    if (task->plan.memory == 0 && !cli_json_is(schedule, "single pass"))
        return cli_failure(task->command,
                           "'%s' gives its gradient a budget or a schedule of its own; a choice of calls "
                           "needs a gradient that is computed in a single pass",
                           task->arguments.passed[0]);
    return CLI_OK;
}

int profile_try(profile_task *task, double seconds_most, verso_profile_cost *measured, bool *done) {
    char *sites = cli_scratch_file(&task->scratch, &task->region, "tried.sites");
    char *lines = cli_scratch_file(&task->scratch, &task->region, "tried");
    const cli_process process = {.output = "/dev/null", .errors = "/dev/null", .seconds_most = seconds_most};
    size_t size;
    cli_ending ending;
    cli_json_value schedule;
    *done = false;
    int status = profile_write_sites(task, sites);
    if (status == CLI_OK)
        status = set_environment(task, sites, NULL, lines);
    if (status == CLI_OK)
        status = start_program(task, process, &ending);
    if (status != CLI_OK)
        return status;
    char *text = cli_file_read(&task->region, lines, &size);
    *done = text && read_measured(task, text, size, measured, &schedule);
    return CLI_OK;
}
