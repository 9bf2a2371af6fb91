/* Running the program that is profiled. See profile.h.
 *
 * It is told by variables of its environment (native/settings.h). Those that would have its gradient computed in
 * another way than at one go are taken away: a profile is of that, and predicts that. */
#include "cli/profile.h"

#include "cli/describe.h"
#include "cli/json_read.h"
#include "cli/message.h"
#include "cli/picture.h"
#include "cli/process.h"
#include "profile/sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int profile_open(profile_task *task, const cli_command *command, int argc, char **argv, int option_help, bool *help) {
    *task = (profile_task){.command = command};
    int status = cli_options_read(command, argc, argv, &task->arguments);
    *help = status == CLI_OK && task->arguments.values[option_help] != NULL;
    if (*help)
        cli_describe_help(stdout, command);
    if (status != CLI_OK || *help)
        return status;
    if (task->arguments.operand_count > 0)
        return cli_usage_error(command, "'%s': the program stands behind --: verso %s -- %s",
                               task->arguments.operands[0], command->name, task->arguments.operands[0]);
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

/* ---- Running ---- */

static int set_variable(profile_task *task, const char *name, const char *value) {
    if ((value ? setenv(name, value, 1) : unsetenv(name)) == 0)
        return CLI_OK;
    return cli_failure(task->command, "out of memory");
}

/* Its exit status is ours when it is not 0, and what it has done until then counts. */
static int explain_end(profile_task *task, const cli_ending *ending) {
    const char *name = task->arguments.passed[0];
    task->code = ending->exited ? ending->code : 128 + ending->signal;
    if (task->code == 0)
        return CLI_OK;
    if (ending->exited)
        cli_failure(task->command, "'%s' has ended with exit status %d", name, ending->code);
    else
        cli_failure(task->command, "'%s' was ended by signal %d (%s)", name, ending->signal, strsignal(ending->signal));
    return CLI_OK;
}

static int run_program(profile_task *task, const char *sites, const char *profile, const char *measure) {
    static const char *const elsewhere[] = {"VERSO_MEMORY", "VERSO_SCHEDULE", "VERSO_RUN"};
    int status = CLI_OK;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere && status == CLI_OK; i++)
        status = set_variable(task, elsewhere[i], NULL);
    if (status == CLI_OK)
        status = set_variable(task, "VERSO_SITES", sites);
    if (status == CLI_OK)
        status = set_variable(task, "VERSO_PROFILE", profile);
    if (status == CLI_OK)
        status = set_variable(task, "VERSO_MEASURE", measure);
    if (status != CLI_OK)
        return status;
    cli_ending ending;
    cli_process process = {.path = task->arguments.passed[0],
                           .arguments = (const char *const *)task->arguments.passed,
                           .shares_output = !task->json};
    status = cli_process_run(task->command, &process, &ending);
    task->interrupted = ending.interrupted;
    return status != CLI_OK || task->interrupted ? CLI_FAILED : explain_end(task, &ending);
}

static int no_gradient(profile_task *task) {
    if (task->code != 0) /* that was said */
        return CLI_FAILED;
    return cli_failure(task->command,
                       "'%s' has computed no gradient: it must call verso_gradient or verso_vjp, and be compiled by "
                       "'verso cc' of this version",
                       task->arguments.passed[0]);
}

int profile_run(profile_task *task) {
    char *path = cli_scratch_file(&task->scratch, &task->region, "profile");
    verso_error error;
    int status = run_program(task, NULL, path, NULL);
    if (status != CLI_OK)
        return status;
    FILE *made = fopen(path, "rb");
    if (!made)
        return no_gradient(task);
    fclose(made);
    verso_status read = verso_profile_read(path, &task->profile, &error);
    if (read != VERSO_OK)
        return cli_library_error(task->command, read, &error);
    if (task->profile->count == 0)
        return cli_failure(task->command,
                           "'%s' has no calls that could be checkpointed: all were inlined, or there "
                           "are none; declare functions noinline, or compile with -fno-inline",
                           task->arguments.passed[0]);
    task->sites = cli_region_alloc(&task->region, task->profile->count, sizeof *task->sites);
    for (size_t i = 0; i < task->profile->count; i++) {
        task->sites[i] = task->profile->sites[i];
        task->sites[i].on = true;
    }
    return CLI_OK;
}

void profile_look(profile_task *task) {
    size_t count = task->profile->count;
    bool *on = cli_region_alloc(&task->region, count, sizeof *on);
    verso_effect *effects = cli_region_alloc(&task->region, count, sizeof *effects);
    for (size_t i = 0; i < count; i++)
        on[i] = task->sites[i].on;
    task->view = (verso_profile_view){.program = task->arguments.passed[0],
                                      .profile = task->profile,
                                      .cost = verso_profile_effects(task->profile, on, effects),
                                      .effects = effects};
}

/* ---- Files ---- */

static verso_status put_sites(void *context, verso_sink sink, void *to, verso_error *error) {
    const profile_task *task = context;
    verso_text text = {.sink = sink, .context = to};
    (void)error;
    verso_sites_put(task->sites, task->profile->count, &task->plan, &text);
    return verso_text_close(&text);
}

int profile_write_sites(profile_task *task, const char *path) {
    return cli_write_text(task->command, path, put_sites, task);
}

verso_status profile_print(void *stream, const char *text, size_t size) {
    return fwrite(text, 1, size, stream) == size ? VERSO_OK : VERSO_IO;
}

/* ---- Measuring ---- */

static double number_of(profile_task *task, cli_json_value line, const char *name) {
    cli_json_value value = cli_json_member(line, name);
    return value.at ? strtod(cli_region_copy(&task->region, value.at, (size_t)(value.end - value.at)), NULL) : 0;
}

int profile_measure(profile_task *task, verso_profile_cost *measured) {
    char *sites = cli_scratch_file(&task->scratch, &task->region, "sites");
    char *lines = cli_scratch_file(&task->scratch, &task->region, "measured");
    size_t size;
    int64_t bytes, all_bytes;
    int status = profile_write_sites(task, sites);
    if (status == CLI_OK)
        status = run_program(task, sites, NULL, lines);
    if (status != CLI_OK)
        return status;
    char *text = cli_file_read(&task->region, lines, &size);
    if (!text)
        return no_gradient(task);
    cli_json_value all = {text, text + size}, first;
    if (!cli_json_take(&all, &first) || !cli_json_whole(cli_json_member(first, "tape_bytes"), &bytes) ||
        !cli_json_whole(cli_json_member(first, "peak_bytes"), &all_bytes))
        return cli_failure(task->command, "the program's measurement is not complete");
    *measured = (verso_profile_cost){.peak_bytes = (uint64_t)bytes,
                                     .memory_bytes = (uint64_t)all_bytes,
                                     .seconds = number_of(task, first, "seconds_processor")};
    if (task->plan.memory == 0 && !cli_json_is(cli_json_member(first, "schedule"), "at one go"))
        return cli_failure(task->command,
                           "'%s' gives its gradient a budget or a schedule of its own; calls are chosen "
                           "for a gradient that is computed at one go",
                           task->arguments.passed[0]);
    return CLI_OK;
}
