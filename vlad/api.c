/* The public interface to the machine: verso/vlad.h.
 *
 * A verso_vlad_copy holds bytes outside of the heap, so it neither moves nor keeps objects alive. checkpoint-*j
 * runs within the machine (player.h), where it can be interrupted like everything else. */
#include <verso/vlad.h>

#include "vlad/bytes.h"
#include "vlad/checkpoint.h"
#include "vlad/shape.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

enum { LEAF = 10000 };

struct verso_vlad {
    vlad_sources *sources;
    vlad_program program;
    vlad_index index;
    vlad_effects effects;
    vlad_checkpointing checkpointing;
    vlad_machine machine;
    bool opened;     /* the machine is open */
    uint32_t number; /* of the current expression; equal to their number: the program has ended */
    verso_error error;
};

struct verso_vlad_copy {
    char *bytes;
    size_t size;
    uint32_t number;
    uint64_t steps;
};

/* ---- Opening ---- */

static verso_status read_program(verso_vlad *p, const char *name, const char *text, verso_error *error) {
    uint32_t file;
    bool again;
    vlad_sources_use_prelude(p->sources);
    verso_status status = text != NULL ? vlad_sources_add(p->sources, name, text, strlen(text), &file, error)
                                       : vlad_sources_open(p->sources, name, UINT32_MAX, &file, &again, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_read_program(p->sources, file, &p->program, error);
    return status == VERSO_STATUS_OK ? vlad_index_open(&p->index, &p->program, error) : status;
}

static void begin_expression(verso_vlad *p) {
    if (p->number < p->program.count)
        vlad_machine_begin(&p->machine, p->program.expressions[p->number]);
}

static verso_status open_machine(verso_vlad *p, uint64_t limit, verso_error *error) {
    verso_run_options_init(&p->checkpointing.run);
    verso_schedule_spec_init(&p->checkpointing.run.spec, VERSO_KIND_BINARY);
    p->checkpointing.leaf = LEAF;
    verso_status status =
        vlad_machine_open(&p->machine, &vlad_interpreter, &p->program, p->sources, &p->effects, limit, &p->error);
    if (status != VERSO_STATUS_OK)
        return verso__fail(error, status, "%s", p->error.message);
    p->opened = true;
    p->machine.nested = &p->checkpointing;
    begin_expression(p);
    return VERSO_STATUS_OK;
}

verso_status verso_vlad_open(const char *name, const char *text, FILE *in, FILE *out, uint64_t limit,
                             verso_vlad **program, verso_error *error) {
    verso_vlad *p = verso__alloc(1, sizeof *p);
    *program = NULL;
    if (p == NULL)
        return vlad_no_memory(error);
    vlad_effects_open(&p->effects, in, "input", out);
    p->sources = vlad_sources_new();
    verso_status status = p->sources != NULL ? read_program(p, name, text, error) : vlad_no_memory(error);
    if (status == VERSO_STATUS_OK)
        status = open_machine(p, limit, error);
    if (status == VERSO_STATUS_OK)
        *program = p;
    else
        verso_vlad_close(p);
    return status;
}

void verso_vlad_close(verso_vlad *p) {
    if (p == NULL)
        return;
    if (p->opened)
        vlad_machine_close(&p->machine);
    vlad_effects_close(&p->effects);
    vlad_index_close(&p->index);
    vlad_sources_free(p->sources);
    verso__dealloc(p);
}

/* ---- Running ---- */

verso_status verso_vlad_run(verso_vlad *p, uint64_t steps, bool *ended, verso_error *error) {
    vlad_machine *machine = &p->machine;
    machine->limit = steps < UINT64_MAX - machine->steps ? machine->steps + steps : UINT64_MAX;
    *ended = false;
    while (p->number < p->program.count && p->error.status == VERSO_STATUS_OK) {
        vlad_outcome outcome = vlad_machine_run(machine);
        if (outcome == VLAD_INTERRUPTED)
            return VERSO_STATUS_OK;
        if (outcome == VLAD_FAILED)
            break;
        p->number++;
        begin_expression(p);
    }
    *ended = p->error.status == VERSO_STATUS_OK;
    return *ended ? VERSO_STATUS_OK : verso__fail(error, p->error.status, "%s", p->error.message);
}

uint64_t verso_vlad_steps(const verso_vlad *p) {
    return p->machine.steps;
}

char *verso_vlad_value(const verso_vlad *p, char *text, size_t size) {
    if (size >= sizeof "..." && p->number == p->program.count && p->number > 0)
        return vlad_value_text(p->machine.registers[VLAD_RESULT], text, size);
    if (size > 0)
        text[0] = '\0';
    return text;
}

/* ---- Copies ---- */

verso_status verso_vlad_capture(verso_vlad *p, verso_vlad_copy **copy, verso_error *error) {
    *copy = NULL;
    if (p->error.status != VERSO_STATUS_OK)
        return verso__fail(error, VERSO_STATUS_STATE, "the program has failed: %s", p->error.message);
    verso_vlad_copy *made = verso__alloc(1, sizeof *made);
    vlad_value capsule = made != NULL ? vlad_machine_capture(&p->machine, 0, 0) : VLAD_NOTHING;
    verso_status status = made == NULL ? vlad_no_memory(error)
                          : capsule == VLAD_NOTHING
                              ? vlad_heap_failure(&p->machine.heap, error)
                              : vlad_bytes_write(&p->index, capsule, &made->bytes, &made->size, error);
    if (status != VERSO_STATUS_OK) {
        verso__dealloc(made);
        return status;
    }
    made->number = p->number;
    made->steps = p->machine.steps;
    *copy = made;
    return VERSO_STATUS_OK;
}

/* The current evaluation is abandoned before the copy is read, to make room for it. */
verso_status verso_vlad_resume(verso_vlad *p, const verso_vlad_copy *copy, verso_error *error) {
    vlad_machine *machine = &p->machine;
    vlad_value capsule;
    vlad_heap_recover(&machine->heap);
    machine->numbers.count = machine->player_count = 0;
    verso_status status =
        vlad_bytes_read(&machine->heap, &p->index, VLAD_LEVELS, copy->bytes, copy->size, &capsule, error);
    if (status != VERSO_STATUS_OK)
        return status;
    p->error = (verso_error){0};
    p->number = copy->number;
    machine->steps = copy->steps;
    vlad_machine_resume(machine, capsule, 0, 0);
    return VERSO_STATUS_OK;
}

size_t verso_vlad_copy_size(const verso_vlad_copy *copy) {
    return copy->size;
}

void verso_vlad_copy_free(verso_vlad_copy *copy) {
    if (copy == NULL)
        return;
    verso__dealloc(copy->bytes);
    verso__dealloc(copy);
}
