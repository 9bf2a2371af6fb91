/* Settings of gradients from the environment. See settings.h. */
#include "native/api/settings.h"

#include "base/quantity.h"
#include "base/sized.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

verso_status verso__native_report_read(const char *name, const char *text, const char **path, verso_error *error) {
    const char *dot = strrchr(text, '.');
    *path = text;
    if (dot != NULL && (strcmp(dot, ".json") == 0 || strcmp(dot, ".html") == 0))
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_INVALID, "%s: '%s' must end in .json or .html", name, text);
}

static verso_status read_offload_word(const char *name, const char *word, size_t length,
                                      verso__native_offload_text *read, verso_error *error) {
    static const char limit[] = "limit=", synchronous[] = "synchronous";
    if (length == sizeof synchronous - 1 && strncmp(word, synchronous, length) == 0) {
        read->synchronous = true;
        return VERSO_STATUS_OK;
    }
    if (length < sizeof limit || strncmp(word, limit, sizeof limit - 1) != 0)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "%s: '%.*s' is not an option of an offload; the options after the directory are "
                           "limit=BYTES and synchronous",
                           name, length < 200 ? (int)length : 200, word);
    const char *number = word + sizeof limit - 1;
    size_t digits = length - (sizeof limit - 1);
    const char *wrong = verso__bytes_read(number, digits, &read->memory);
    if (wrong == NULL && read->memory == 0)
        wrong = "must be greater than 0";
    if (wrong == NULL)
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_INVALID, "%s: limit: '%.*s' %s", name, digits < 200 ? (int)digits : 200,
                       number, wrong);
}

verso_status verso__native_offload_read(const char *name, const char *text, verso__native_offload_text *read,
                                        verso_error *error) {
    size_t length = strcspn(text, ",");
    *read = (verso__native_offload_text){0};
    if (length == 0 || length >= sizeof read->directory)
        return verso__fail(error, VERSO_STATUS_INVALID, "%s: the name of the directory is %s", name,
                           length == 0 ? "empty" : "too long");
    verso_status status = VERSO_STATUS_OK;
    for (const char *word = text + length; status == VERSO_STATUS_OK && *word != '\0';) {
        size_t size = strcspn(++word, ",");
        status = read_offload_word(name, word, size, read, error);
        word += size;
    }
    if (status == VERSO_STATUS_OK)
        memcpy(read->directory, text, length);
    return status;
}

static verso_status read_profile_word(const char *name, const char *word, size_t length,
                                      verso__native_profile_text *read, verso_error *error) {
    static const char seconds[] = "seconds=", memory[] = "memory=", progress[] = "progress";
    const char *wrong = NULL;
    if (length == sizeof progress - 1 && strncmp(word, progress, length) == 0)
        read->progress = true;
    else if (length >= sizeof seconds && strncmp(word, seconds, sizeof seconds - 1) == 0) {
        char *end;
        read->seconds = strtod(word + sizeof seconds - 1, &end);
        wrong = end == word + length && read->seconds > 0 ? NULL : "is not a number of seconds";
    } else if (length >= sizeof memory && strncmp(word, memory, sizeof memory - 1) == 0)
        wrong = verso__bytes_read(word + sizeof memory - 1, length - (sizeof memory - 1), &read->memory);
    else
        wrong = "is not an option of a profile; the options after the file are seconds=SECONDS, "
                "memory=BYTES and progress";
    if (wrong == NULL)
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_INVALID, "%s: '%.*s' %s", name, length < 200 ? (int)length : 200, word,
                       wrong);
}

verso_status verso__native_profile_text_read(const char *name, const char *text, verso__native_profile_text *read,
                                             verso_error *error) {
    size_t length = strcspn(text, ",");
    *read = (verso__native_profile_text){0};
    if (length == 0 || length >= sizeof read->path)
        return verso__fail(error, VERSO_STATUS_INVALID, "%s: the name of the file is %s", name,
                           length == 0 ? "empty" : "too long");
    verso_status status = VERSO_STATUS_OK;
    for (const char *word = text + length; status == VERSO_STATUS_OK && *word != '\0';) {
        size_t size = strcspn(++word, ",");
        status = read_profile_word(name, word, size, read, error);
        word += size;
    }
    if (status == VERSO_STATUS_OK)
        memcpy(read->path, text, length);
    return status;
}

static const char *variable(const char *name) {
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static verso_status read_ranks(const char *text, verso_ranks *ranks, verso_error *error) {
    *ranks = text != NULL && strcmp(text, "sum") == 0 ? VERSO_RANKS_SUM : VERSO_RANKS_SHARED;
    if (text == NULL || *ranks == VERSO_RANKS_SUM || strcmp(text, "shared") == 0)
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "VERSO_RANKS: '%.200s' is neither shared (the value that all ranks return) nor sum (the sum of "
                       "what they return)",
                       text);
}

verso_status verso__native_settings_read(verso__native_settings *settings, verso_error *error) {
    const char *memory = variable("VERSO_MEMORY"), *schedule = variable("VERSO_SCHEDULE");
    const char *report = variable("VERSO_REPORT"), *offload = variable("VERSO_OFFLOAD");
    const char *profile = variable("VERSO_PROFILE");
    *settings = (verso__native_settings){.directory = variable("VERSO_RUN"),
                                         .sites = variable("VERSO_SITES"),
                                         .checkpoint = variable("VERSO_CHECKPOINT"),
                                         .nocheckpoint = variable("VERSO_NOCHECKPOINT"),
                                         .measure = variable("VERSO_MEASURE")};
    verso_status status = read_ranks(variable("VERSO_RANKS"), &settings->ranks, error);
    if (status == VERSO_STATUS_OK && memory != NULL)
        status = verso__memory_read("VERSO_MEMORY", memory, &settings->memory, error);
    if (status == VERSO_STATUS_OK && schedule != NULL)
        status = verso__spec_text_read("VERSO_SCHEDULE", schedule, VERSO_LEAF_BYTES, &settings->schedule, error);
    if (status == VERSO_STATUS_OK && report != NULL)
        status = verso__native_report_read("VERSO_REPORT", report, &settings->report, error);
    if (status == VERSO_STATUS_OK && offload != NULL)
        status = verso__native_offload_read("VERSO_OFFLOAD", offload, &settings->offload, error);
    if (status == VERSO_STATUS_OK && profile != NULL)
        status = verso__native_profile_text_read("VERSO_PROFILE", profile, &settings->profile, error);
    return status == VERSO_STATUS_OK ? verso__limits_read(&settings->limits, error) : status;
}

static bool asks_for_more(const verso_run_options *run) {
    return run != NULL && (!run->automatic || run->memory != 0 || run->directory != NULL);
}

/* The caller's options take precedence over the environment. */
static verso_status choose_offload(const verso__native_settings *settings, const verso_native_options *options,
                                   verso_native_options *chosen, verso_error *error) {
    const verso__native_offload_text *said = &settings->offload;
    bool own_run = options->memory != 0 || asks_for_more(options->run), own = options->offload_directory != NULL;
    if (own && !own_run)
        chosen->run = NULL;
    if (!own && !own_run && said->directory[0] != '\0') {
        chosen->offload_directory = said->directory;
        chosen->offload_memory = said->memory;
        chosen->offload_synchronous = said->synchronous;
    }
    if (chosen->offload_directory == NULL || chosen->run == NULL)
        return VERSO_STATUS_OK;
    return verso__fail(
        error, VERSO_STATUS_INVALID,
        "an offload is for a run that is recorded in a single pass, and a memory budget, a schedule or a run "
        "directory is given, too; leave out either");
}

/* Applies the plan of a file of sites, if no other setting says how to compute the gradient. */
static void choose_plan(const verso__native_settings *settings, verso_native_options *chosen, verso_run_options *run) {
    const verso__plan *plan = &settings->plan;
    if (plan->memory == 0 || asks_for_more(run) || settings->schedule.is_set || settings->directory != NULL ||
        settings->offload.directory[0] != '\0' || chosen->offload_directory != NULL)
        return;
    run->memory = plan->memory;
    if (chosen->leaf != 0 || plan->leaf == 0)
        return;
    chosen->leaf = plan->leaf;
    chosen->leaf_tape = plan->tape;
    chosen->capsule = plan->capsule;
    run->automatic = false; /* the plan says that not everything fits */
    verso_schedule_spec_init(&run->spec, VERSO_KIND_ONLINE);
}

bool verso__native_has_own_suspension(const verso_native_options *options) {
    const verso_run_options *run = options->run;
    return run != NULL && (run->on_signal || run->time_limit > 0 || run->step_limit > 0);
}

/* Reports losses on the standard error if the caller has no callback for them, because a user who sets
 * VERSO_RUN must know of them. */
static void print_notice(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "verso: %s\n", sentence);
}

/* Applies the environment's limits to a durable run. */
static void choose_limits(const verso__native_settings *settings, const verso_native_options *options,
                          verso_run_options *run) {
    bool from_outside = options->run == NULL || options->run->directory == NULL;
    if (run->directory == NULL || run->scratch)
        return;
    bool own = verso__native_has_own_suspension(options);
    verso__limits_apply(&settings->limits, run);
    if (!from_outside)
        return;
    run->on_signal = run->on_signal || !own;
    if (run->notice == NULL) {
        run->notice = print_notice;
        run->losses_only = true;
    }
}

verso_status verso__native_settings_apply(const verso__native_settings *settings, const verso_native_options *options,
                                          verso_native_options *chosen, verso_run_options *run, verso_error *error) {
    *chosen = *options;
    if (chosen->ranks == VERSO_RANKS_SHARED)
        chosen->ranks = settings->ranks;
    if (options->run != NULL)
        *run = *options->run;
    else {
        verso_run_options_init(run);
        run->automatic = true;
    }
    if (run->automatic && settings->schedule.is_set) {
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
    choose_limits(settings, options, run);
    chosen->memory = run->memory;
    chosen->run = run->automatic && run->memory == 0 && run->directory == NULL ? NULL : run;
    verso_status status = choose_offload(settings, options, chosen, error);
    if (status != VERSO_STATUS_OK || chosen->run == NULL || run->automatic || run->memory > 0)
        return status;
    return verso__spec_slots_check(&run->spec, error);
}

verso_status verso__native_options_read(const verso_native_options *given, verso_native_options *own,
                                        verso_run_options *run, verso_error *error) {
    *own = (verso_native_options)VERSO_NATIVE_OPTIONS_INIT;
    if (given == NULL)
        return VERSO_STATUS_OK;
    verso_status status = verso__sized_read(given, own, sizeof *own, "VERSO_NATIVE_OPTIONS_INIT", error);
    if (status == VERSO_STATUS_OK && own->run_report != NULL)
        status = verso__sized_check(own->run_report, "VERSO_RUN_REPORT_INIT", error);
    if (status != VERSO_STATUS_OK || own->run == NULL)
        return status;
    status = verso__sized_read(own->run, run, sizeof *run, "verso_run_options_init", error);
    own->run = run;
    return status;
}
