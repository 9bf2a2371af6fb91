/* Budget, schedule and offload of `verso grad` and `verso check`. The program reads them from its environment, as every
 * program does that differentiates (native/settings.h); here they are checked first, because building it takes seconds.
 */
#include "cli/derive.h"

#include "base/quantity.h"
#include "cli/message.h"
#include "cli/schedule.h"
#include "native/settings.h"

#include <stdlib.h>
#include <string.h>

/* NULL: nothing is said. */
static const char *schedule_text(derive *task) {
    static const int words[] = {DERIVE_SLOTS, DERIVE_LEAF, DERIVE_SPACE, DERIVE_TIME, DERIVE_LOG, DERIVE_SPLIT};
    return cli_schedule_text(&task->region, task->command, &task->arguments, DERIVE_SCHEDULE, words,
                             sizeof words / sizeof *words, "auto");
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
    verso_native_settings settings;
    verso_native_options said, nothing = {0};
    verso_run_options options;
    verso_error error;
    verso_status status = verso_native_settings_read(&settings, &error);
    if (status == VERSO_OK && memory)
        status = verso_memory_read("--memory", memory, &settings.memory, &error);
    if (status == VERSO_OK && schedule)
        status = verso_spec_text_read("--schedule", schedule, &settings.schedule, &error);
    if (status == VERSO_OK && report)
        status = verso_native_report_read("--report", report, &settings.report, &error);
    if (status == VERSO_OK && offload)
        status = verso_native_offload_read("--offload", offload, &settings.offload, &error);
    if (run)
        settings.directory = run;
    if (status == VERSO_OK)
        status = verso_native_settings_apply(&settings, &nothing, &said, &options, &error);
    if (status != VERSO_OK)
        return cli_library_error(task->command, status, &error);
    if (run && !run[0])
        return cli_usage_error(task->command, "--run: a directory without a name");
    int set = set_variable(task, "VERSO_MEMORY", memory);
    if (set == CLI_OK)
        set = set_variable(task, "VERSO_SCHEDULE", schedule);
    if (set == CLI_OK)
        set = set_variable(task, "VERSO_RUN", run);
    if (set == CLI_OK)
        set = set_variable(task, "VERSO_OFFLOAD", offload);
    return set == CLI_OK ? set_variable(task, "VERSO_REPORT", report) : set;
}
