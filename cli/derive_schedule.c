/* Checks the options for budget, schedule and offload, and passes them to the generated program as environment
 * variables (native/api/settings.h). They are checked before the program is built, which takes seconds. */
#include "cli/derive.h"

#include "base/quantity.h"
#include "cli/message.h"
#include "cli/schedule.h"
#include "native/api/settings.h"

#include <stdlib.h>
#include <string.h>

/* The options for parameters of the schedule. */
static const int words[] = {DERIVE_SLOTS, DERIVE_LEAF, DERIVE_SPACE, DERIVE_TIME, DERIVE_LOG, DERIVE_SPLIT};
enum { WORDS = sizeof words / sizeof *words };

/* The schedule in the syntax of VERSO_SCHEDULE; NULL if no option for it is given. */
static const char *schedule_text(derive *task) {
    return cli_schedule_text(&task->region, task->command, &task->arguments, DERIVE_SCHEDULE, words, WORDS, "auto");
}

static int set_variable(derive *task, const char *name, const char *value) {
    if (!value || setenv(name, value, 1) == 0)
        return CLI_OK;
    return cli_failure(task->command, "out of memory");
}

int derive_schedule(derive *task) {
    const char *memory = task->arguments.values[DERIVE_MEMORY], *schedule = schedule_text(task);
    const char *report = task->arguments.values[DERIVE_REPORT], *run = task->arguments.values[DERIVE_RUN];
    const char *offload = task->arguments.values[DERIVE_OFFLOAD];
    const char *interval = task->arguments.values[DERIVE_INTERVAL];
    const char *time_limit = task->arguments.values[DERIVE_TIME_LIMIT];
    verso__native_settings settings;
    verso_native_options said, nothing = VERSO_NATIVE_OPTIONS_INIT;
    verso_run_options options;
    verso_error error;
    verso_status status = verso__native_settings_read(&settings, &error);
    if (status == VERSO_STATUS_OK && memory)
        status = verso__memory_read("--memory", memory, &settings.memory, &error);
    if (status == VERSO_STATUS_OK && schedule)
        status = verso__spec_text_read("--schedule", schedule, VERSO_LEAF_BYTES, &settings.schedule, &error);
    if (status == VERSO_STATUS_OK && report)
        status = verso__native_report_read("--report", report, &settings.report, &error);
    if (status == VERSO_STATUS_OK && offload)
        status = verso__native_offload_read("--offload", offload, &settings.offload, &error);
    if (run)
        settings.directory = run;
    if (status == VERSO_STATUS_OK)
        status = verso__limits_options(&settings.limits, interval, time_limit, &error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_settings_apply(&settings, &nothing, &said, &options, &error);
    if (status != VERSO_STATUS_OK) {
        cli_schedule_blame(task->command, &task->arguments, words, WORDS, &error);
        return cli_library_error(task->command, status, &error);
    }
    if (run && !run[0])
        return cli_usage_error(task->command, "--run: the name of the directory is empty");
    task->directory = settings.directory;
    if (!task->directory && (interval || time_limit))
        return cli_usage_error(task->command, "--%s needs --run DIRECTORY", interval ? "interval" : "time-limit");
    int set = set_variable(task, "VERSO_MEMORY", memory);
    if (set == CLI_OK)
        set = set_variable(task, "VERSO_SCHEDULE", schedule);
    if (set == CLI_OK)
        set = set_variable(task, "VERSO_RUN", run);
    if (set == CLI_OK)
        set = set_variable(task, "VERSO_OFFLOAD", offload);
    if (set == CLI_OK)
        set = set_variable(task, "VERSO_INTERVAL", interval);
    if (set == CLI_OK)
        set = set_variable(task, "VERSO_TIME_LIMIT", time_limit);
    return set == CLI_OK ? set_variable(task, "VERSO_REPORT", report) : set;
}
