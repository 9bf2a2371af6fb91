/* See run.h. */
#include "vlad/run.h"

#include "vlad/bytes.h"
#include "vlad/check.h"
#include "vlad/place.h"
#include "vlad/watch.h"
#include "vlad/writer.h"

#include "base/quantity.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/spec_text.h"
#include "schedule/spec_words.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* LEAF_DEFAULT is the number of steps recorded at a time if no leaf is given. With a budget, a nested
 * checkpoint-*j uses a leaf whose recording takes a small part of it. */
enum { LEAF_DEFAULT = 10000, LEAF_LEAST = 64, BYTES_A_STEP = 1024 };
#define MEMORY_DEFAULT (UINT64_C(64) << 20)

static uint64_t leaf_within(uint64_t memory) {
    return verso__min_u64(verso__max_u64(memory / BYTES_A_STEP, LEAF_LEAST), LEAF_DEFAULT);
}

verso_status vlad_settings_schedule(vlad_settings *settings, const char *text, verso_error *error) {
    verso__spec_text read;
    verso_run_options *run = &settings->checkpointing.run;
    verso_status status =
        verso__spec_text_read("--schedule", text != NULL ? text : "binary", VERSO_LEAF_STEPS, &read, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (read.automatic)
        verso_schedule_spec_init(&read.spec, VERSO_KIND_ONLINE);
    verso_run_options_init(run);
    run->spec = read.spec;
    if (run->spec.split == VERSO_SPLIT_BISECTION) /* with bisection leaves may be longer than given */
        run->spec.split = VERSO_SPLIT_HALVES;
    uint64_t memory = settings->checkpointing.memory;
    settings->checkpointing.log = (read.given & VERSO_SPEC_BIT(VERSO_SPEC_LOG)) != 0;
    settings->checkpointing.leaf = read.leaf != 0 || memory != 0 ? read.leaf : LEAF_DEFAULT;
    settings->checkpointing.leaf_within = read.leaf != 0 || memory == 0 ? 0 : leaf_within(memory);
    return memory != 0 ? VERSO_STATUS_OK : verso__spec_slots_check(&run->spec, error);
}

verso_status vlad_settings_default(vlad_settings *settings, verso_error *error) {
    vlad_checkpointing *checkpointing = &settings->checkpointing;
    if (checkpointing->memory != 0 || settings->run != NULL)
        return vlad_settings_schedule(settings, checkpointing->memory != 0 ? VLAD_KIND_BUDGET : VLAD_KIND, error);
    checkpointing->memory = MEMORY_DEFAULT;
    checkpointing->by_default = true;
    return vlad_settings_schedule(settings, VLAD_KIND_BUDGET, error);
}

verso_status vlad_settings_memory(vlad_settings *settings, const char *text, verso_error *error) {
    return verso__memory_read("--memory", text, &settings->checkpointing.memory, error);
}

verso_status vlad_settings_limit(vlad_settings *settings, const char *text, verso_error *error) {
    return verso__memory_read("--limit", text, &settings->limit, error);
}

verso_status vlad_settings_seed(vlad_settings *settings, const char *text, verso_error *error) {
    verso__quantity number;
    const char *wrong = verso__quantity_read(text, strlen(text), &number);
    if (wrong == NULL)
        wrong = verso__quantity_whole(number, &settings->seed);
    return wrong == NULL ? VERSO_STATUS_OK : verso__fail(error, VERSO_STATUS_INVALID, "--seed: '%s' %s", text, wrong);
}

verso_status vlad_settings_limits(vlad_settings *settings, const char *interval, const char *time_limit,
                                  verso_error *error) {
    verso_status status = verso__limits_read(&settings->limits, error);
    return status == VERSO_STATUS_OK ? verso__limits_options(&settings->limits, interval, time_limit, error) : status;
}

void vlad_print_statistics(const vlad_settings *settings, const vlad_machine *machine, FILE *messages) {
    typedef unsigned long long number;
    const vlad_checkpointing *c = &settings->checkpointing;
    fprintf(messages, "steps       %llu\n", (number)machine->steps);
    if (c->statistics.runs > 0)
        fprintf(messages, "checkpointed %llu steps, %llu more were run; %llu capsules at a time\n",
                (number)c->statistics.steps, (number)c->statistics.repeated, (number)c->statistics.capsules);
    if (c->by_default && c->statistics.runs > 0)
        fprintf(messages, "budget      %llu bytes, the default\n", (number)c->memory);
    if (c->memory != 0 && c->statistics.at_once > 0)
        fprintf(messages, "budget      %llu recorded in a single pass\n", (number)c->statistics.at_once);
    if (c->memory != 0 && c->statistics.runs > c->statistics.at_once)
        fprintf(messages, "budget      %s, leaves of %llu steps\n", verso_kind_word(c->statistics.last.spec.kind),
                (number)c->statistics.leaf);
    fprintf(messages, "memory      %llu bytes at most, %llu collections\n", (number)machine->heap.peak,
            (number)machine->heap.collections);
}

uint64_t vlad_limit(const vlad_settings *settings) {
    uint64_t limit = settings->limit, memory = settings->checkpointing.by_default ? 0 : settings->checkpointing.memory;
    return limit == 0 || memory == 0 ? limit + memory : verso__min_u64(limit, memory);
}

/* Opens the file that records what the program has read and written. Its name tells which evaluator made the
 * capsules beside it: those of a converted program differ. */
static verso_status keep_effects(const char *run, bool hybrid, vlad_effects *effects, verso_error *error) {
    static const char *const names[] = {"effects", "effects-hybrid"};
    vlad_writer own = {0}, other = {0};
    vlad_write(&own, "%s/%s", run, names[hybrid]);
    vlad_write(&other, "%s/%s", run, names[!hybrid]);
    verso_status status;
    if (own.failed || other.failed)
        status = vlad_no_memory(error);
    else if (access(other.text, F_OK) == 0)
        status = verso__fail(error, VERSO_STATUS_INVALID,
                             "the run in '%s' was started %s --hybrid; continue it the same way", run,
                             hybrid ? "without" : "with");
    else
        status = vlad_effects_keep(effects, own.text, error);
    vlad_writer_free(&own);
    vlad_writer_free(&other);
    return status;
}

static void print_notice(void *messages, const char *sentence) {
    fprintf(messages, "note: %s\n", sentence);
}

/* Starts to supervise a durable program: signals, time limit, progress. */
static void begin_watching(vlad_settings *settings, vlad_watch *watch, FILE *messages) {
    verso_run_options *run = &settings->checkpointing.run;
    if (settings->run == NULL)
        return;
    vlad_watch_open(watch, settings->limits.interval, settings->limits.time_limit);
    settings->checkpointing.watch = watch;
    run->interval = settings->limits.interval;
    run->on_signal = true;
    run->progress = verso_progress_bar;
    run->progress_context = messages;
    run->notice = print_notice;
    run->notice_context = messages;
    run->losses_only = true;
}

static void end_watching(vlad_settings *settings) {
    if (settings->checkpointing.watch != NULL)
        vlad_watch_close(settings->checkpointing.watch);
    settings->checkpointing.watch = NULL;
}

/* Makes the directory of a durable program, and opens the file of its effects. */
static verso_status make_durable(vlad_settings *settings, const vlad_program *program, vlad_effects *effects,
                                 vlad_index *index, verso_error *error) {
    if (settings->run == NULL)
        return VERSO_STATUS_OK;
    if (mkdir(settings->run, 0700) != 0 && errno != EEXIST)
        return verso__fail(error, VERSO_STATUS_IO, "cannot make the directory '%s': %s", settings->run,
                           strerror(errno));
    verso_status status = vlad_index_open(index, program, error);
    settings->checkpointing.index = index;
    settings->checkpointing.run.directory = settings->run;
    return status == VERSO_STATUS_OK ? keep_effects(settings->run, settings->evaluator == &vlad_hybrid, effects, error)
                                     : status;
}

/* Evaluates the expressions of the program one after the other. A program that has already ended prints its output
 * again. */
static verso_status run_expressions(vlad_whole *whole, vlad_effects *effects, vlad_watch *watch, verso_error *error) {
    const vlad_keeper keeper = {vlad_place_keep, whole};
    const vlad_program *program = whole->program;
    vlad_machine *machine = whole->machine;
    verso_status status = watch != NULL ? vlad_place_recall(whole, error) : VERSO_STATUS_OK;
    if (status == VERSO_STATUS_OK && watch != NULL && whole->number == program->count)
        return vlad_effects_show(effects, error);
    for (; status == VERSO_STATUS_OK && whole->number < program->count; whole->number++) {
        if (!whole->resumed)
            vlad_machine_begin(machine, program->expressions[whole->number]);
        whole->resumed = false;
        if (vlad_watch_run(watch, machine, &keeper) != VLAD_ENDED)
            return error->status;
    }
    return status == VERSO_STATUS_OK && watch != NULL ? vlad_place_keep(whole, error) : status;
}

static verso_status run_all(vlad_machine *machine, const vlad_program *program, vlad_settings *settings,
                            vlad_effects *effects, FILE *messages, verso_error *error) {
    vlad_whole whole = {
        .machine = machine, .program = program, .checkpointing = &settings->checkpointing, .directory = settings->run};
    vlad_checking checking;
    vlad_checking_open(&checking, settings->seed != 0 ? settings->seed : 1);
    machine->checking = settings->checks ? &checking : NULL;
    machine->checkpointing = &settings->checkpointing;
    machine->stress = settings->stress;
    machine->heap.always = machine->heap.wanted = settings->collects;
    verso_status status = run_expressions(&whole, effects, settings->checkpointing.watch, error);
    if (status == VERSO_STATUS_OK && settings->checks)
        vlad_check_print(&checking, machine->sources, messages);
    settings->refuted = settings->checks && !vlad_check_holds(&checking);
    vlad_checking_close(&checking);
    if (status == VERSO_STATUS_OK && settings->stats)
        vlad_print_statistics(settings, machine, messages);
    return status;
}

verso_status vlad_run(vlad_sources *sources, const vlad_program *program, const vlad_code *code,
                      vlad_settings *settings, FILE *in, FILE *out, FILE *messages, verso_error *error) {
    const vlad_evaluator *evaluator = settings->evaluator != NULL ? settings->evaluator : &vlad_interpreter;
    vlad_effects effects;
    vlad_machine machine;
    vlad_index index = {0};
    vlad_watch watch;
    vlad_effects_open(&effects, in, "standard input", out);
    begin_watching(settings, &watch, messages);
    verso_status status = make_durable(settings, program, &effects, &index, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_machine_open(&machine, evaluator, program, sources, &effects, vlad_limit(settings), error);
    if (status == VERSO_STATUS_OK) {
        machine.code = code;
        index.converted = machine.converted;
        status = run_all(&machine, program, settings, &effects, messages, error);
        vlad_machine_close(&machine);
    }
    vlad_index_close(&index);
    settings->checkpointing.index = NULL;
    vlad_effects_close(&effects);
    end_watching(settings);
    if (status == VERSO_STATUS_SUSPENDED)
        return verso__fail(error, status, "suspended in '%s'; run the same command again to continue", settings->run);
    return status;
}
