/* See code.h. */
#include "vlad/code.h"

#include "vlad/bytes.h"
#include "vlad/environment.h"

#define LONGEST (INT64_C(1) << 62)

bool vlad_is_closed(const vlad_lambda *lambda) {
    return lambda->letrec != NULL ? lambda->letrec->group_count == 0 : lambda->captured_count == 0;
}

static void fill_closure(const vlad_code *code, const vlad_lambda *lambda) {
    vlad_value *closure = code->closures[lambda->number];
    bool grouped = lambda->letrec != NULL;
    closure[0] = vlad_header(VLAD_CLOSURE, grouped ? 2 : 1) | VLAD_STATIC;
    closure[1] = (uint64_t)(uintptr_t)lambda;
    if (grouped)
        closure[2] = vlad_value_of((const vlad_object *)code->groups[lambda->letrec->number]);
}

verso_status vlad_code_bind(const vlad_code *code, const vlad_program *program, verso_error *error) {
    vlad_index index;
    verso_status status = vlad_index_open(&index, program, error);
    if (status != VERSO_STATUS_OK)
        return status;
    for (uint32_t i = 0; i < code->numbers; i++)
        code->expressions[i] = index.expressions[i];
    for (uint32_t i = 0; i < code->letrec_count; i++) {
        code->letrecs[i] = index.letrecs[i];
        code->groups[i][0] = vlad_header(VLAD_GROUP_VALUES, 1) | VLAD_STATIC;
        code->groups[i][1] = (uint64_t)(uintptr_t)index.letrecs[i];
    }
    for (uint32_t i = 0; i < code->lambda_count; i++) {
        code->lambdas[i] = index.lambdas[i];
        if (index.lambdas[i] != NULL && vlad_is_closed(index.lambdas[i]))
            fill_closure(code, index.lambdas[i]);
    }
    vlad_index_close(&index);
    return VERSO_STATUS_OK;
}

/* ---- Running ---- */

static const vlad_region *find(const vlad_machine *machine) {
    const vlad_code *code = machine->code;
    if (machine->at != NULL)
        return machine->phase == 0 ? &code->at[machine->at->number] : NULL;
    vlad_value continuation = machine->registers[VLAD_CONTINUATION];
    if (continuation == VLAD_NULL)
        return NULL;
    uint64_t what = vlad_object_of(continuation)->field[VLAD_FRAME_WHAT];
    if (what < VLAD_FRAMES)
        return NULL;
    const vlad_expression *e = (const vlad_expression *)(uintptr_t)(what & ~UINT64_C(7));
    return &code->after[3 * (size_t)e->number + (what & 7)];
}

const vlad_region *vlad_code_region(vlad_machine *machine, uint64_t stop) {
    const vlad_region *region = find(machine);
    if (region == NULL || region->code == NULL || machine->steps > stop || stop - machine->steps < region->steps)
        return NULL;
    if (machine->stress != 0 && ++machine->stressed % machine->stress == 0)
        return NULL;
    return region;
}

bool vlad_code_run(vlad_machine *machine, const vlad_region *region, uint64_t stop) {
    vlad_heap *heap = &machine->heap;
    if (heap->wanted && vlad_machine_collect(machine) != VERSO_STATUS_OK)
        return false;
    if (!vlad_heap_room(heap, region->words)) {
        (void)vlad_heap_failure(heap, machine->error);
        return false;
    }
    uint64_t left = stop - machine->steps;
    if (heap->always || machine->stress != 0) /* for tests: one region at a time */
        left = region->steps;
    left = left > LONGEST ? LONGEST : left;
    machine->granted = machine->steps + left;
    bool wanted = heap->wanted;
    heap->wanted = false; /* otherwise the region would return immediately */
    bool done = machine->code->enter(machine, region->code, (int64_t)left) != 0;
    heap->wanted |= wanted;
    return done;
}

/* ---- Called by compiled code ---- */

static vlad_value finish(vlad_machine *machine, vlad_value value, uint32_t room) {
    if (value != VLAD_NOTHING && vlad_heap_room(&machine->heap, room))
        return value;
    (void)vlad_heap_failure(&machine->heap, machine->error);
    return VLAD_NOTHING;
}

vlad_value vlad_code_unary(vlad_machine *machine, const vlad_expression *e, vlad_value a, uint32_t room) {
    if (!vlad_is_real(a))
        return vlad_code_operate(machine, e, a, VLAD_NULL, VLAD_NULL, room);
    return finish(machine, vlad_number_unary(&machine->numbers, e->is.operation, a), room);
}

vlad_value vlad_code_binary(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b,
                            uint32_t room) {
    if (!vlad_is_real(a) || !vlad_is_real(b))
        return vlad_code_operate(machine, e, a, b, VLAD_NULL, room);
    return finish(machine, vlad_number_binary(&machine->numbers, e->is.operation, a, b), room);
}

vlad_value vlad_code_operate(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, vlad_value c,
                             uint32_t room) {
    vlad_value values[3] = {a, b, c};
    if (!vlad_operate(machine, e, values))
        return VLAD_NOTHING;
    return finish(machine, machine->registers[VLAD_RESULT], room);
}

int vlad_code_begin(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, vlad_value c) {
    vlad_value values[3] = {a, b, c};
    return vlad_operate(machine, e, values);
}

int vlad_code_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument) {
    return vlad_apply(machine, e, function, argument);
}

bool vlad_code_bind_value(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value) {
    return vlad_bind(machine, pattern, value);
}

bool vlad_code_tape(vlad_machine *machine, uint32_t room) {
    return finish(machine, vlad_level_room(&machine->numbers) ? VLAD_NULL : VLAD_NOTHING, room) != VLAD_NOTHING;
}
