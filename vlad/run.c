/* See run.h. */
#include "vlad/run.h"

#include "vlad/bytes.h"
#include "vlad/check.h"
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

/* Steps of evaluation that are recorded at a time, when nothing is said. Within a budget a nested checkpoint-*j records
 * as many as take a small part of it. */
enum { LEAF_DEFAULT = 10000, LEAF_LEAST = 64, BYTES_A_STEP = 1024 };

static uint64_t leaf_within(uint64_t memory) {
    return verso_min_u64(verso_max_u64(memory / BYTES_A_STEP, LEAF_LEAST), LEAF_DEFAULT);
}

verso_status vlad_settings_schedule(vlad_settings *settings, const char *text, verso_error *error) {
    verso_spec_text read;
    verso_run_options *run = &settings->checkpointing.run;
    verso_status status = verso_spec_text_read("--schedule", text != NULL ? text : "binary", &read, error);
    if (status != VERSO_OK)
        return status;
    if (read.automatic)
        verso_schedule_spec_init(&read.spec, VERSO_KIND_ONLINE);
    verso_run_options_init(run);
    run->spec = read.spec;
    uint64_t memory = settings->checkpointing.memory;
    settings->checkpointing.log = (read.given & VERSO_SPEC_BIT(VERSO_SPEC_LOG)) != 0;
    settings->checkpointing.leaf = read.leaf != 0 || memory != 0 ? read.leaf : LEAF_DEFAULT;
    settings->checkpointing.leaf_within = read.leaf != 0 || memory == 0 ? 0 : leaf_within(memory);
    return memory != 0 ? VERSO_OK : verso_spec_slots_check(&run->spec, error);
}

verso_status vlad_settings_memory(vlad_settings *settings, const char *text, verso_error *error) {
    return verso_memory_read("--memory", text, &settings->checkpointing.memory, error);
}

verso_status vlad_settings_limit(vlad_settings *settings, const char *text, verso_error *error) {
    return verso_memory_read("--limit", text, &settings->limit, error);
}

verso_status vlad_settings_seed(vlad_settings *settings, const char *text, verso_error *error) {
    verso_quantity number;
    const char *wrong = verso_quantity_read(text, strlen(text), &number);
    if (wrong == NULL)
        wrong = verso_quantity_whole(number, &settings->seed);
    return wrong == NULL ? VERSO_OK : verso_fail(error, VERSO_INVALID, "--seed: '%s' %s.", text, wrong);
}

void vlad_tell(const vlad_settings *settings, const vlad_machine *machine, FILE *told) {
    typedef unsigned long long number;
    const vlad_checkpointing *c = &settings->checkpointing;
    fprintf(told, "steps       %llu\n", (number)machine->steps);
    if (c->told.runs > 0)
        fprintf(told, "checkpointed %llu steps, %llu more were run; %llu capsules at a time\n", (number)c->told.steps,
                (number)c->told.repeated, (number)c->told.capsules);
    if (c->memory != 0 && c->told.at_once > 0)
        fprintf(told, "budget      %llu recorded at once\n", (number)c->told.at_once);
    if (c->memory != 0 && c->told.runs > c->told.at_once)
        fprintf(told, "budget      leaves of %llu steps\n", (number)c->told.leaf);
    fprintf(told, "memory      %llu bytes at most, %llu collections\n", (number)machine->heap.peak,
            (number)machine->heap.collections);
}

uint64_t vlad_limit(const vlad_settings *settings) {
    uint64_t limit = settings->limit, memory = settings->checkpointing.memory;
    return limit == 0 || memory == 0 ? limit + memory : verso_min_u64(limit, memory);
}

/* What the program has read and written lies in a file whose name says whose capsules are beside it. */
static verso_status keep_effects(const char *run, bool hybrid, vlad_effects *effects, verso_error *error) {
    static const char *const names[] = {"effects", "effects-hybrid"};
    vlad_writer own = {0}, other = {0};
    vlad_write(&own, "%s/%s", run, names[hybrid]);
    vlad_write(&other, "%s/%s", run, names[!hybrid]);
    verso_status status;
    if (own.failed || other.failed)
        status = vlad_no_memory(error);
    else if (access(other.text, F_OK) == 0)
        status = verso_fail(error, VERSO_INVALID, "the run in '%s' was begun %s --hybrid, and can only go on so", run,
                            hybrid ? "without" : "with");
    else
        status = vlad_effects_keep(effects, own.text, error);
    vlad_writer_free(&own);
    vlad_writer_free(&other);
    return status;
}

/* A folder for the run, with what the program has read and written beside its checkpointed runs. */
static verso_status make_durable(vlad_settings *settings, const vlad_program *program, vlad_effects *effects,
                                 vlad_index *index, verso_error *error) {
    if (settings->run == NULL)
        return VERSO_OK;
    if (mkdir(settings->run, 0777) != 0 && errno != EEXIST)
        return verso_fail(error, VERSO_IO, "cannot make the directory '%s': %s", settings->run, strerror(errno));
    verso_status status = vlad_index_open(index, program, error);
    settings->checkpointing.index = index;
    settings->checkpointing.run.directory = settings->run;
    return status == VERSO_OK ? keep_effects(settings->run, settings->evaluator == &vlad_hybrid, effects, error)
                              : status;
}

static verso_status run_all(vlad_machine *machine, const vlad_program *program, vlad_settings *settings, FILE *told,
                            verso_error *error) {
    verso_status status = VERSO_OK;
    vlad_checking checking;
    vlad_checking_open(&checking, settings->seed != 0 ? settings->seed : 1);
    machine->checking = settings->checks ? &checking : NULL;
    machine->checkpointing = &settings->checkpointing;
    machine->stress = settings->stress;
    machine->heap.always = machine->heap.wanted = settings->collects;
    for (uint32_t i = 0; status == VERSO_OK && i < program->count; i++) {
        vlad_machine_begin(machine, program->expressions[i]);
        status = vlad_machine_run(machine) == VLAD_ENDED ? VERSO_OK : error->status;
    }
    if (status == VERSO_OK && settings->checks)
        vlad_check_tell(&checking, machine->sources, told);
    settings->refuted = settings->checks && !vlad_check_holds(&checking);
    vlad_checking_close(&checking);
    if (status == VERSO_OK && settings->stats)
        vlad_tell(settings, machine, told);
    return status;
}

verso_status vlad_run(vlad_sources *sources, const vlad_program *program, const vlad_code *code,
                      vlad_settings *settings, FILE *in, FILE *out, FILE *told, verso_error *error) {
    const vlad_evaluator *evaluator = settings->evaluator != NULL ? settings->evaluator : &vlad_interpreter;
    vlad_effects effects;
    vlad_machine machine;
    vlad_index index = {0};
    vlad_effects_open(&effects, in, "standard input", out);
    verso_status status = make_durable(settings, program, &effects, &index, error);
    if (status == VERSO_OK)
        status = vlad_machine_open(&machine, evaluator, program, sources, &effects, vlad_limit(settings), error);
    if (status == VERSO_OK) {
        machine.code = code;
        index.converted = machine.converted;
        status = run_all(&machine, program, settings, told, error);
        vlad_machine_close(&machine);
    }
    vlad_index_close(&index);
    settings->checkpointing.index = NULL;
    vlad_effects_close(&effects);
    return status;
}
