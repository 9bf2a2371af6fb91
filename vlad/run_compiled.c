/* Runs a compiled program, from its arguments to its exit status; see run.h. It takes the options of `verso vlad`
 * as --NAME=VALUE and --NAME VALUE. */
#include "vlad/run.h"

#include "vlad/writer.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 }; /* the command line is wrong; as for `verso` */

typedef struct arguments {
    vlad_settings *settings;
    vlad_writer schedule; /* such as "binary,leaf=10" */
    const char *kind;
    const char *interval, *time_limit;
    bool tree; /* an option was given that only treeverse and binary have */
    verso_error *error;
} arguments;

/* Appends an option to the text of the schedule. */
static verso_status add_to_schedule(arguments *a, const char *name, const char *value) {
    vlad_write(&a->schedule, ",%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "");
    a->tree |= strcmp(name, "slots") != 0 && strcmp(name, "leaf") != 0;
    return VERSO_STATUS_OK;
}

/* Takes the value of an option; NULL: it is missing. */
static verso_status take_value(arguments *a, const char *name, const char *value) {
    if (value == NULL)
        return verso__fail(a->error, VERSO_STATUS_INVALID, "`--%s` needs a value", name);
    if (strcmp(name, "schedule") == 0) {
        a->kind = value;
        return VERSO_STATUS_OK;
    }
    if (strcmp(name, "run") == 0) {
        a->settings->run = value;
        return VERSO_STATUS_OK;
    }
    if (strcmp(name, "interval") == 0 || strcmp(name, "time-limit") == 0) {
        *(name[0] == 'i' ? &a->interval : &a->time_limit) = value;
        return VERSO_STATUS_OK;
    }
    if (strcmp(name, "limit") == 0)
        return vlad_settings_limit(a->settings, value, a->error);
    if (strcmp(name, "memory") == 0)
        return vlad_settings_memory(a->settings, value, a->error);
    if (strcmp(name, "seed") == 0)
        return vlad_settings_seed(a->settings, value, a->error);
    if (strcmp(name, "stress") == 0) {
        a->settings->stress = (uint32_t)strtoul(value, NULL, 10);
        return VERSO_STATUS_OK;
    }
    return add_to_schedule(a, name, value);
}

static bool takes_value(const char *name) {
    static const char *const names[] = {"schedule", "slots",  "leaf", "space",  "time",     "split",     "run",
                                        "limit",    "memory", "seed", "stress", "interval", "time-limit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Takes an option, and its value if it has one; advances *list. */
static verso_status take_option(arguments *a, char ***list) {
    const char *option = *(*list)++;
    if (strncmp(option, "--", 2) != 0)
        return verso__fail(a->error, VERSO_STATUS_INVALID, "`%s` is no option: the program takes no other arguments",
                           option);
    option += 2;
    if (strcmp(option, "stats") == 0)
        a->settings->stats = true;
    else if (strcmp(option, "check") == 0)
        a->settings->checks = true;
    else if (strcmp(option, "collect") == 0)
        a->settings->collects = true;
    else if (strcmp(option, "log") == 0)
        return add_to_schedule(a, option, NULL);
    else {
        char name[32] = "";
        const char *equals = strchr(option, '=');
        size_t length = equals != NULL ? (size_t)(equals - option) : strlen(option);
        memcpy(name, option, length < sizeof name ? length : sizeof name - 1);
        if (takes_value(name))
            return take_value(a, name, equals != NULL ? equals + 1 : **list == NULL ? NULL : *(*list)++);
        return verso__fail(a->error, VERSO_STATUS_INVALID,
                           "there is no option `--%s`; there are --schedule, --slots, --leaf, --space, --time, --log, "
                           "--split, --memory, --limit, --run, --interval, --time-limit, --stats, --check and --seed, "
                           "as for `verso vlad`",
                           option);
    }
    return VERSO_STATUS_OK;
}

static verso_status take_options(arguments *a, char **list) {
    verso_status status = VERSO_STATUS_OK;
    while (status == VERSO_STATUS_OK && *list != NULL)
        status = take_option(a, &list);
    if (status != VERSO_STATUS_OK)
        return status;
    if (a->settings->checks && a->settings->run != NULL)
        return verso__fail(a->error, VERSO_STATUS_INVALID, "give only one of --check and --run");
    if (a->settings->run == NULL && (a->interval != NULL || a->time_limit != NULL))
        return verso__fail(a->error, VERSO_STATUS_INVALID, "--interval and --time-limit need --run");
    status = vlad_settings_limits(a->settings, a->interval, a->time_limit, a->error);
    if (status != VERSO_STATUS_OK)
        return status;
    vlad_writer all = {0};
    const char *kind = a->settings->checkpointing.memory != 0 && !a->tree ? VLAD_KIND_BUDGET : VLAD_KIND;
    vlad_write(&all, "%s%s", a->kind != NULL ? a->kind : kind, a->schedule.size > 0 ? a->schedule.text : "");
    if (all.failed || a->schedule.failed)
        status = verso__fail(a->error, VERSO_STATUS_NO_MEMORY, "no memory for the options");
    else if (a->kind == NULL && a->schedule.size == 0)
        status = vlad_settings_default(a->settings, a->error);
    else
        status = vlad_settings_schedule(a->settings, all.text, a->error);
    vlad_writer_free(&all);
    return status;
}

static verso_status run(const vlad_code *code, vlad_sources *sources, const char *path, vlad_settings *settings,
                        FILE *in, FILE *out, FILE *messages, verso_error *error) {
    vlad_program program;
    uint32_t file;
    bool again;
    if (code->prelude)
        vlad_sources_use_prelude(sources);
    verso_status status = vlad_sources_open(sources, path, UINT32_MAX, &file, &again, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_read_program(sources, file, &program, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_code_bind(code, &program, error);
    return status == VERSO_STATUS_OK ? vlad_run(sources, &program, code, settings, in, out, messages, error) : status;
}

int vlad_run_compiled(const vlad_code *code, const vlad_embedded *texts, size_t count, char **list, FILE *in, FILE *out,
                      FILE *messages) {
    vlad_settings settings = {0};
    verso_error error = {0};
    arguments a = {.settings = &settings, .error = &error};
    vlad_sources *sources = vlad_sources_new();
    verso_status status = sources != NULL
                              ? take_options(&a, list)
                              : verso__fail(&error, VERSO_STATUS_NO_MEMORY, "no memory to read the program");
    bool understood = status == VERSO_STATUS_OK || status == VERSO_STATUS_NO_MEMORY;
    vlad_writer_free(&a.schedule);
    if (status == VERSO_STATUS_OK) {
        vlad_sources_embed(sources, texts, count);
        status = run(code, sources, texts[0].path, &settings, in, out, messages, &error);
    }
    if (status != VERSO_STATUS_OK)
        fprintf(messages, "%s\n", error.message);
    vlad_sources_free(sources);
    if (fflush(out) != 0 && status == VERSO_STATUS_OK) {
        fprintf(messages, "cannot write the output\n");
        status = VERSO_STATUS_IO;
    }
    if (status == VERSO_STATUS_SUSPENDED)
        return VERSO_EXIT_SUSPENDED;
    return status == VERSO_STATUS_OK && !settings.refuted ? EXIT_SUCCESS : understood ? EXIT_FAILURE : EXIT_USAGE;
}
