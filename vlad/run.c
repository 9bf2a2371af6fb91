/* See run.h. */
#include "vlad/run.h"

#include "native/settings.h"

#include <inttypes.h>

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

static void tell(const vlad_settings *settings, const vlad_machine *machine, FILE *told) {
    const vlad_checkpointing *c = &settings->checkpointing;
    fprintf(told, "steps       %" PRIu64 "\n", machine->steps);
    if (c->told.runs > 0)
        fprintf(told, "checkpointed %" PRIu64 " steps, %" PRIu64 " more were run; %" PRIu64 " capsules at a time\n",
                c->told.steps, c->told.repeated, c->told.capsules);
    fprintf(told, "memory      %" PRIu64 " bytes at most, %" PRIu64 " collections\n", machine->heap.peak,
            machine->heap.collections);
}

verso_status vlad_run(const vlad_sources *sources, const vlad_program *program, const vlad_code *code,
                      vlad_settings *settings, FILE *in, FILE *out, FILE *told, verso_error *error) {
    vlad_effects effects;
    vlad_machine machine;
    vlad_effects_open(&effects, in, "standard input", out);
    verso_status status = vlad_machine_open(&machine, program, sources, &effects, settings->limit, error);
    if (status == VERSO_OK) {
        machine.checkpointing = &settings->checkpointing;
        machine.code = code;
        machine.stress = settings->stress;
        machine.heap.always = machine.heap.wanted = settings->collects;
        for (uint32_t i = 0; status == VERSO_OK && i < program->count; i++) {
            vlad_machine_begin(&machine, program->expressions[i]);
            status = vlad_machine_run(&machine) == VLAD_ENDED ? VERSO_OK : error->status;
        }
        if (status == VERSO_OK && settings->stats)
            tell(settings, &machine, told);
        vlad_machine_close(&machine);
    }
    vlad_effects_close(&effects);
    return status;
}
