/* See run.h. */
#include "vlad/run.h"

#include "native/settings.h"
#include "vlad/bytes.h"
#include "vlad/writer.h"

#include "base/status.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Steps of evaluation that are recorded at a time, when nothing is said. */
#define LEAF_DEFAULT 10000

verso_status vlad_settings_schedule(vlad_settings *settings, const char *text, verso_error *error) {
    verso_native_settings read = {0};
    verso_run_options *run = &settings->checkpointing.run;
    verso_status status = verso_native_schedule_read("--schedule", text != NULL ? text : "binary", &read, error);
    if (status != VERSO_OK)
        return status;
    if (read.automatic)
        verso_schedule_spec_init(&read.spec, VERSO_KIND_ONLINE);
    verso_run_options_init(run);
    run->spec = read.spec;
    settings->checkpointing.leaf = read.leaf != 0 ? read.leaf : LEAF_DEFAULT;
    return verso_native_slots_check(run, error);
}

verso_status vlad_settings_limit(vlad_settings *settings, const char *text, verso_error *error) {
    return verso_native_memory_read("--limit", text, &settings->limit, error);
}

void vlad_tell(const vlad_settings *settings, const vlad_machine *machine, FILE *told) {
    typedef unsigned long long number;
    const vlad_checkpointing *c = &settings->checkpointing;
    fprintf(told, "steps       %llu\n", (number)machine->steps);
    if (c->told.runs > 0)
        fprintf(told, "checkpointed %llu steps, %llu more were run; %llu capsules at a time\n", (number)c->told.steps,
                (number)c->told.repeated, (number)c->told.capsules);
    fprintf(told, "memory      %llu bytes at most, %llu collections\n", (number)machine->heap.peak,
            (number)machine->heap.collections);
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
    machine->checkpointing = &settings->checkpointing;
    machine->stress = settings->stress;
    machine->heap.always = machine->heap.wanted = settings->collects;
    for (uint32_t i = 0; status == VERSO_OK && i < program->count; i++) {
        vlad_machine_begin(machine, program->expressions[i]);
        status = vlad_machine_run(machine) == VLAD_ENDED ? VERSO_OK : error->status;
    }
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
        status = vlad_machine_open(&machine, evaluator, program, sources, &effects, settings->limit, error);
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
