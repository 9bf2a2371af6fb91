/* A compiled program from its arguments to its exit status: see run.h. The options of `verso vlad` are understood as
 * --NAME=VALUE and --NAME VALUE. */
#include "vlad/run.h"

#include "vlad/writer.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 }; /* as of `verso`: the command line is wrong */

typedef struct arguments {
    vlad_settings *settings;
    vlad_writer schedule; /* "binary,leaf=10" */
    const char *kind;
    bool tree; /* a word that only treeverse and binary know */
    verso_error *error;
} arguments;

/* A word of the schedule. */
static verso_status add_to_schedule(arguments *a, const char *name, const char *value) {
    vlad_write(&a->schedule, ",%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "");
    a->tree |= strcmp(name, "slots") != 0 && strcmp(name, "leaf") != 0;
    return VERSO_OK;
}

/* Of an option that takes one; NULL: there is none. */
static verso_status take_value(arguments *a, const char *name, const char *value) {
    if (value == NULL)
        return verso_fail(a->error, VERSO_INVALID, "`--%s` needs a value", name);
    if (strcmp(name, "schedule") == 0) {
        a->kind = value;
        return VERSO_OK;
    }
    if (strcmp(name, "run") == 0) {
        a->settings->run = value;
        return VERSO_OK;
    }
    if (strcmp(name, "limit") == 0)
        return vlad_settings_limit(a->settings, value, a->error);
    if (strcmp(name, "memory") == 0)
        return vlad_settings_memory(a->settings, value, a->error);
    if (strcmp(name, "seed") == 0)
        return vlad_settings_seed(a->settings, value, a->error);
    if (strcmp(name, "stress") == 0) {
        a->settings->stress = (uint32_t)strtoul(value, NULL, 10);
        return VERSO_OK;
    }
    return add_to_schedule(a, name, value);
}

static bool takes_value(const char *name) {
    static const char *const names[] = {"schedule", "slots", "leaf",   "space", "time",  "split",
                                        "run",      "limit", "memory", "seed",  "stress"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* *words moves behind what was taken. */
static verso_status take_word(arguments *a, char ***words) {
    const char *word = *(*words)++;
    if (strncmp(word, "--", 2) != 0)
        return verso_fail(a->error, VERSO_INVALID, "`%s` is no option: the program takes no other arguments", word);
    word += 2;
    if (strcmp(word, "stats") == 0)
        a->settings->stats = true;
    else if (strcmp(word, "check") == 0)
        a->settings->checks = true;
    else if (strcmp(word, "collect") == 0)
        a->settings->collects = true;
    else if (strcmp(word, "log") == 0)
        return add_to_schedule(a, word, NULL);
    else {
        char name[32] = "";
        const char *equals = strchr(word, '=');
        size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
        memcpy(name, word, length < sizeof name ? length : sizeof name - 1);
        if (takes_value(name))
            return take_value(a, name, equals != NULL ? equals + 1 : **words == NULL ? NULL : *(*words)++);
        return verso_fail(a->error, VERSO_INVALID,
                          "there is no option `--%s`; there are --schedule, --slots, --leaf, --space, --time, --log, "
                          "--split, --memory, --limit, --run, --stats, --check and --seed, as for `verso vlad`",
                          word);
    }
    return VERSO_OK;
}

static verso_status take_words(arguments *a, char **words) {
    verso_status status = VERSO_OK;
    while (status == VERSO_OK && *words != NULL)
        status = take_word(a, &words);
    if (status != VERSO_OK)
        return status;
    if (a->settings->checks && a->settings->run != NULL)
        return verso_fail(a->error, VERSO_INVALID, "--check or --run, not both");
    vlad_writer all = {0};
    const char *kind = a->settings->checkpointing.memory != 0 && !a->tree ? VLAD_KIND_BUDGET : VLAD_KIND;
    vlad_write(&all, "%s%s", a->kind != NULL ? a->kind : kind, a->schedule.size > 0 ? a->schedule.text : "");
    if (all.failed || a->schedule.failed)
        status = verso_fail(a->error, VERSO_NO_MEMORY, "no memory for the options");
    else
        status = vlad_settings_schedule(a->settings, all.text, a->error);
    vlad_writer_free(&all);
    return status;
}

static verso_status run(const vlad_code *code, vlad_sources *sources, const char *path, vlad_settings *settings,
                        FILE *in, FILE *out, FILE *told, verso_error *error) {
    vlad_program program;
    uint32_t file;
    bool again;
    verso_status status = vlad_sources_open(sources, path, UINT32_MAX, &file, &again, error);
    if (status == VERSO_OK)
        status = vlad_read_program(sources, file, &program, error);
    if (status == VERSO_OK)
        status = vlad_code_bind(code, &program, error);
    return status == VERSO_OK ? vlad_run(sources, &program, code, settings, in, out, told, error) : status;
}

int vlad_run_compiled(const vlad_code *code, const vlad_embedded *texts, size_t count, char **words, FILE *in,
                      FILE *out, FILE *told) {
    vlad_settings settings = {0};
    verso_error error = {0};
    arguments a = {.settings = &settings, .error = &error};
    vlad_sources *sources = vlad_sources_new();
    verso_status status =
        sources != NULL ? take_words(&a, words) : verso_fail(&error, VERSO_NO_MEMORY, "no memory to read the program");
    bool understood = status == VERSO_OK || status == VERSO_NO_MEMORY;
    vlad_writer_free(&a.schedule);
    if (status == VERSO_OK) {
        vlad_sources_embed(sources, texts, count);
        status = run(code, sources, texts[0].path, &settings, in, out, told, &error);
    }
    if (status != VERSO_OK)
        fprintf(told, "%s\n", error.message);
    vlad_sources_free(sources);
    if (fflush(out) != 0 && status == VERSO_OK) {
        fprintf(told, "cannot write the output\n");
        status = VERSO_IO;
    }
    return status == VERSO_OK && !settings.refuted ? EXIT_SUCCESS : understood ? EXIT_FAILURE : EXIT_USAGE;
}
