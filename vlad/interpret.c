/* The evaluator in continuation-passing style: figures 8, 9, 11 and 13 of the paper, as a loop. See machine.h.
 *
 * A continuation is a frame: the expression that continues, the part after which it continues, the locals it
 * needs, and the values of the parts so far. Frames hold only what is needed later, so that everything else can be
 * collected. AD operators push frames, too: a derivative in progress is part of the state, and evaluation can be
 * interrupted within it. */
#include "vlad/interpret.h"

#include "vlad/code.h"
#include "vlad/environment.h"

#include "base/status.h"

/* ---- Frames ---- */

static uint64_t after(const vlad_expression *e, unsigned part) {
    return (uint64_t)(uintptr_t)e | part;
}

/* Pushes a frame and makes part `part` the next expression. */
static vlad_object *push_part(vlad_machine *machine, const vlad_expression *e, unsigned part, uint32_t more) {
    uint32_t count = part < 2 ? e->kept_count[part] : 0;
    vlad_object *frame = vlad_push_frame(machine, after(e, part), part < 2 ? e->kept[part] : NULL, count, more);
    machine->at = e->parts[part];
    return frame;
}

static void put_back(vlad_machine *machine, const vlad_object *frame, const uint32_t *kept, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        *vlad_local(machine, kept[i]) = frame->field[VLAD_FRAME_KEPT + i];
}

/* ---- Values of expressions ---- */

/* One step: begins the evaluation of the current expression. */
static bool evaluate(vlad_machine *machine) {
    const vlad_expression *e = machine->at;
    machine->steps++;
    switch (e->kind) {
    case VLAD_CONSTANT:
    case VLAD_VARIABLE:
    case VLAD_LAMBDA: return vlad_give(machine, vlad_atom(machine, e));
    case VLAD_LETREC: machine->at = e->parts[0]; return vlad_bind_letrec(machine, e);
    case VLAD_LET: /* two steps: the application, and the lambda, of which no closure is made */
        machine->phase ^= 1;
        if (machine->phase == 1)
            return true;
        break;
    default: break;
    }
    return push_part(machine, e, 0, 0) != NULL;
}

/* ---- Continuing after a part ---- */

static bool continue_application(vlad_machine *machine, const vlad_expression *e, unsigned part,
                                 const vlad_object *frame, vlad_value value) {
    if (part == 1)
        return vlad_enter(machine, e, frame->field[VLAD_FRAME_KEPT], value) != NULL;
    vlad_object *next = push_part(machine, e, 1, 1);
    if (next != NULL)
        next->field[VLAD_FRAME_KEPT + e->kept_count[1]] = value;
    return next != NULL;
}

/* The frame holds the values of the parts so far after the kept locals. */
static bool continue_operator(vlad_machine *machine, const vlad_expression *e, unsigned part, const vlad_object *frame,
                              vlad_value value) {
    vlad_value values[3];
    uint32_t kept = part < 2 ? e->kept_count[part] : 0;
    for (unsigned i = 0; i < part; i++)
        values[i] = frame->field[VLAD_FRAME_KEPT + kept + i];
    values[part] = value;
    if (part + 1 == vlad_operator_arity(e->is.operation))
        return vlad_operate(machine, e, values);
    vlad_object *next = push_part(machine, e, part + 1, part + 1);
    uint32_t kept_next = part + 1 < 2 ? e->kept_count[part + 1] : 0;
    for (unsigned i = 0; next != NULL && i <= part; i++)
        next->field[VLAD_FRAME_KEPT + kept_next + i] = values[i];
    return next != NULL;
}

static bool go_on(vlad_machine *machine) {
    const vlad_object *frame = vlad_object_of(machine->registers[VLAD_CONTINUATION]);
    uint64_t what = frame->field[VLAD_FRAME_WHAT];
    vlad_value value = machine->registers[VLAD_RESULT];
    machine->registers[VLAD_CONTINUATION] = frame->field[VLAD_FRAME_NEXT];
    machine->registers[VLAD_SELF] = frame->field[VLAD_FRAME_SELF];
    if (what < VLAD_FRAMES)
        return vlad_finish(machine, (vlad_frame_kind)what, frame, value);
    const vlad_expression *e = (const vlad_expression *)(uintptr_t)(what & ~UINT64_C(7));
    unsigned part = (unsigned)(what & 7);
    if (part < 2)
        put_back(machine, frame, e->kept[part], e->kept_count[part]);
    switch (e->kind) {
    case VLAD_APPLICATION: return continue_application(machine, e, part, frame, value);
    case VLAD_IF: machine->at = e->parts[value == VLAD_FALSE ? 2 : 1]; return true;
    case VLAD_LET: machine->at = e->parts[1]; return vlad_bind(machine, e->is.pattern, value);
    default: return continue_operator(machine, e, part, frame, value);
    }
}

/* ---- The evaluator ---- */

/* The interpreter needs no preparation. */
static verso_status open_nothing(vlad_machine *machine, const vlad_program *program, vlad_sources *sources,
                                 verso_error *error) {
    (void)machine, (void)program, (void)sources, (void)error;
    return VERSO_STATUS_OK;
}

static void begin(vlad_machine *machine, const vlad_expression *expression) {
    machine->at = expression;
    machine->phase = 0;
}

static bool apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument) {
    return vlad_enter(machine, e, function, argument) != NULL;
}

/* Clears the locals that are no longer needed, so that they do not keep objects alive. */
verso_status vlad_machine_collect(vlad_machine *machine) {
    const vlad_expression *e = machine->at;
    uint32_t next = 0;
    for (size_t i = VLAD_FIRST_LOCAL; i < machine->register_count; i++)
        if (e != NULL && next < e->needed_count && i == VLAD_FIRST_LOCAL + (size_t)e->needed[next])
            next++;
        else
            machine->registers[i] = VLAD_NULL;
    if (e != NULL)
        machine->registers[VLAD_RESULT] = VLAD_NULL;
    return vlad_heap_collect(&machine->heap, machine->error);
}

/* Evaluates up to `stop`, with compiled code where there is some. */
static vlad_outcome run_to(vlad_machine *machine, uint64_t stop) {
    uint32_t players = machine->player_count;
    for (;;) {
        const vlad_region *region = machine->code != NULL ? vlad_code_region(machine, stop) : NULL;
        if (region != NULL) {
            if (!vlad_code_run(machine, region, stop))
                return VLAD_FAILED;
            if (machine->player_count != players || machine->replayed)
                return VLAD_INTERRUPTED;
            continue;
        }
        if (machine->at == NULL) {
            if (machine->registers[VLAD_CONTINUATION] == VLAD_NULL)
                return VLAD_ENDED;
            if (!go_on(machine))
                return VLAD_FAILED;
            if (machine->player_count != players || machine->replayed)
                return VLAD_INTERRUPTED; /* the stops have changed */
            continue;
        }
        if (machine->heap.wanted && vlad_machine_collect(machine) != VERSO_STATUS_OK)
            return VLAD_FAILED;
        if (machine->steps >= stop)
            return VLAD_INTERRUPTED;
        if (vlad_is_interrupted(machine) || !evaluate(machine))
            return VLAD_FAILED;
    }
}

static uint64_t kept(const vlad_machine *machine) {
    return machine->at != NULL ? machine->at->needed_count : 0;
}

static void keep(const vlad_machine *machine, vlad_object *capsule, vlad_value *rest) {
    const vlad_expression *e = machine->at;
    capsule->field[VLAD_CAPSULE_AT] = (uint64_t)(uintptr_t)e;
    capsule->field[VLAD_CAPSULE_PHASE] = machine->phase;
    capsule->field[VLAD_CAPSULE_SELF] = machine->registers[VLAD_SELF];
    for (uint32_t i = 0; e != NULL && i < e->needed_count; i++)
        rest[i] = machine->registers[VLAD_FIRST_LOCAL + (size_t)e->needed[i]];
}

static void put_back_kept(vlad_machine *machine, const vlad_object *capsule, const vlad_value *rest) {
    const vlad_expression *e = (const vlad_expression *)(uintptr_t)capsule->field[VLAD_CAPSULE_AT];
    machine->at = e;
    machine->phase = (unsigned)capsule->field[VLAD_CAPSULE_PHASE];
    for (uint32_t i = 0; e != NULL && i < e->needed_count; i++)
        *vlad_local(machine, e->needed[i]) = rest[i];
}

const vlad_evaluator vlad_interpreter = {.open = open_nothing,
                                         .begin = begin,
                                         .apply = apply,
                                         .run_to = run_to,
                                         .kept = kept,
                                         .keep = keep,
                                         .put_back = put_back_kept};
