/* What is said about a gradient beside the program. See settings.h. */
#include "native/settings.h"

#include "base/quantity.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

verso_status verso_native_report_read(const char *name, const char *text, const char **path, verso_error *error) {
    const char *dot = strrchr(text, '.');
    *path = text;
    if (dot != NULL && (strcmp(dot, ".json") == 0 || strcmp(dot, ".html") == 0))
        return VERSO_OK;
    return verso_fail(error, VERSO_INVALID, "%s: '%s' ends neither in .json nor in .html, the kinds of report.", name,
                      text);
}

static const char *variable(const char *name) {
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

verso_status verso_native_settings_read(verso_native_settings *settings, verso_error *error) {
    const char *memory = variable("VERSO_MEMORY"), *schedule = variable("VERSO_SCHEDULE");
    const char *report = variable("VERSO_REPORT");
    *settings = (verso_native_settings){.directory = variable("VERSO_RUN"),
                                        .sites = variable("VERSO_SITES"),
                                        .profile = variable("VERSO_PROFILE"),
                                        .measure = variable("VERSO_MEASURE")};
    verso_status status = VERSO_OK;
    if (memory != NULL)
        status = verso_memory_read("VERSO_MEMORY", memory, &settings->memory, error);
    if (status == VERSO_OK && schedule != NULL)
        status = verso_spec_text_read("VERSO_SCHEDULE", schedule, &settings->schedule, error);
    if (status == VERSO_OK && report != NULL)
        status = verso_native_report_read("VERSO_REPORT", report, &settings->report, error);
    return status;
}

verso_status verso_native_settings_apply(const verso_native_settings *settings, const verso_native_options *options,
                                         verso_native_options *chosen, verso_run_options *run, verso_error *error) {
    *chosen = *options;
    if (options->run != NULL)
        *run = *options->run;
    else {
        verso_run_options_init(run);
        run->automatic = true;
    }
    if (run->automatic && settings->schedule.said) {
        run->automatic = settings->schedule.automatic;
        run->spec = settings->schedule.spec;
    }
    if (options->memory != 0)
        run->memory = options->memory;
    else if (run->memory == 0)
        run->memory = settings->memory;
    if (chosen->leaf == 0)
        chosen->leaf = settings->schedule.leaf;
    if (run->directory == NULL)
        run->directory = settings->directory;
    chosen->memory = run->memory;
    chosen->run = run->automatic && run->memory == 0 && run->directory == NULL ? NULL : run;
    return run->automatic || run->memory > 0 ? VERSO_OK : verso_spec_slots_check(&run->spec, error);
}
