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

static verso_status read_offload_word(const char *name, const char *word, size_t length,
                                      verso_native_offload_text *read, verso_error *error) {
    static const char limit[] = "limit=", synchronous[] = "synchronous";
    if (length == sizeof synchronous - 1 && strncmp(word, synchronous, length) == 0) {
        read->synchronous = true;
        return VERSO_OK;
    }
    if (length < sizeof limit || strncmp(word, limit, sizeof limit - 1) != 0)
        return verso_fail(error, VERSO_INVALID,
                          "%s: '%.*s' is no word of an offload; behind the directory come limit=BYTES and synchronous.",
                          name, length < 200 ? (int)length : 200, word);
    const char *number = word + sizeof limit - 1;
    size_t digits = length - (sizeof limit - 1);
    const char *wrong = verso_bytes_read(number, digits, &read->memory);
    if (wrong == NULL && read->memory == 0)
        wrong = "leaves no memory at all";
    if (wrong == NULL)
        return VERSO_OK;
    return verso_fail(error, VERSO_INVALID, "%s: limit: '%.*s' %s.", name, digits < 200 ? (int)digits : 200, number,
                      wrong);
}

verso_status verso_native_offload_read(const char *name, const char *text, verso_native_offload_text *read,
                                       verso_error *error) {
    size_t length = strcspn(text, ",");
    *read = (verso_native_offload_text){0};
    if (length == 0 || length >= sizeof read->directory)
        return verso_fail(error, VERSO_INVALID, "%s: the name of the directory is %s.", name,
                          length == 0 ? "empty" : "too long");
    verso_status status = VERSO_OK;
    for (const char *word = text + length; status == VERSO_OK && *word != '\0';) {
        size_t size = strcspn(++word, ",");
        status = read_offload_word(name, word, size, read, error);
        word += size;
    }
    if (status == VERSO_OK)
        memcpy(read->directory, text, length);
    return status;
}

static const char *variable(const char *name) {
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

verso_status verso_native_settings_read(verso_native_settings *settings, verso_error *error) {
    const char *memory = variable("VERSO_MEMORY"), *schedule = variable("VERSO_SCHEDULE");
    const char *report = variable("VERSO_REPORT"), *offload = variable("VERSO_OFFLOAD");
    *settings = (verso_native_settings){.directory = variable("VERSO_RUN"),
                                        .sites = variable("VERSO_SITES"),
                                        .checkpoint = variable("VERSO_CHECKPOINT"),
                                        .nocheckpoint = variable("VERSO_NOCHECKPOINT"),
                                        .profile = variable("VERSO_PROFILE"),
                                        .measure = variable("VERSO_MEASURE")};
    verso_status status = VERSO_OK;
    if (memory != NULL)
        status = verso_memory_read("VERSO_MEMORY", memory, &settings->memory, error);
    if (status == VERSO_OK && schedule != NULL)
        status = verso_spec_text_read("VERSO_SCHEDULE", schedule, &settings->schedule, error);
    if (status == VERSO_OK && report != NULL)
        status = verso_native_report_read("VERSO_REPORT", report, &settings->report, error);
    if (status == VERSO_OK && offload != NULL)
        status = verso_native_offload_read("VERSO_OFFLOAD", offload, &settings->offload, error);
    return status;
}

static bool asks_for_more(const verso_run_options *run) {
    return run != NULL && (!run->automatic || run->memory != 0 || run->directory != NULL);
}

/* What options say goes before what the environment says. */
static verso_status choose_offload(const verso_native_settings *settings, const verso_native_options *options,
                                   verso_native_options *chosen, verso_error *error) {
    const verso_native_offload_text *said = &settings->offload;
    bool own_run = options->memory != 0 || asks_for_more(options->run), own = options->offload.directory != NULL;
    if (own && !own_run)
        chosen->run = NULL;
    if (!own && !own_run && said->directory[0] != '\0')
        chosen->offload = (verso_native_offload){
            .directory = said->directory, .memory = said->memory, .synchronous = said->synchronous};
    if (chosen->offload.directory == NULL || chosen->run == NULL)
        return VERSO_OK;
    return verso_fail(error, VERSO_INVALID,
                      "an offload is for a run that is recorded at one go, and a memory budget, a schedule or a run "
                      "directory is given, too; leave out either.");
}

/* Nothing else is said of how the gradient is to be computed. */
static void choose_plan(const verso_native_settings *settings, verso_native_options *chosen, verso_run_options *run) {
    const verso_plan *plan = &settings->plan;
    if (plan->memory == 0 || asks_for_more(run) || settings->schedule.said || settings->directory != NULL ||
        settings->offload.directory[0] != '\0' || chosen->offload.directory != NULL)
        return;
    run->memory = plan->memory;
    if (chosen->leaf != 0 || plan->leaf == 0)
        return;
    chosen->leaf = plan->leaf;
    chosen->leaf_tape = plan->tape;
    chosen->capsule = plan->capsule;
    run->automatic = false; /* it was found out that not everything fits */
    verso_schedule_spec_init(&run->spec, VERSO_KIND_ONLINE);
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
    choose_plan(settings, chosen, run);
    if (run->directory == NULL)
        run->directory = settings->directory;
    chosen->memory = run->memory;
    chosen->run = run->automatic && run->memory == 0 && run->directory == NULL ? NULL : run;
    verso_status status = choose_offload(settings, options, chosen, error);
    if (status != VERSO_OK || chosen->run == NULL || run->automatic || run->memory > 0)
        return status;
    return verso_spec_slots_check(&run->spec, error);
}
