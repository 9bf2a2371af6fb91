/* The evaluator in continuation-passing style: figures 8, 9, 11 and 13 of the paper, as a loop. See machine.h.
 *
 * A continuation is a frame: which expression goes on, behind which of its parts, with which locals, and what those
 * parts gave. Frames hold what is needed later and nothing else, so that what a program has done with can be collected.
 * AD operators push frames, too: that a derivative is being taken is part of the state like everything else, and
 * evaluation can be interrupted within. */
#include "vlad/interpret.h"

#include "vlad/code.h"
#include "vlad/player.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"

/* ---- Opening ---- */

verso_status vlad_machine_open(vlad_machine *machine, const vlad_program *program, const vlad_sources *sources,
                               vlad_effects *effects, uint64_t limit, verso_error *error) {
    uint32_t locals = program->locals_most;
    *machine = (vlad_machine){.sources = sources, .effects = effects, .limit = VLAD_FOR_EVER, .error = error};
    machine->register_count = VLAD_FIRST_LOCAL + (size_t)locals;
    machine->registers = verso_alloc(machine->register_count, sizeof *machine->registers);
    if (machine->registers == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for %u variables.", locals);
    vlad_heap_open(&machine->heap, limit);
    vlad_numbers_open(&machine->numbers, &machine->heap);
    machine->roots = (vlad_roots){.values = machine->registers, .count = machine->register_count};
    vlad_heap_root(&machine->heap, &machine->roots);
    machine->play_roots = (vlad_roots){.values = machine->plays, .count = VLAD_LEVELS};
    vlad_heap_root(&machine->heap, &machine->play_roots);
    return VERSO_OK;
}

void vlad_machine_close(vlad_machine *machine) {
    if (machine->registers == NULL)
        return;
    vlad_heap_unroot(&machine->heap, &machine->play_roots);
    vlad_heap_unroot(&machine->heap, &machine->roots);
    vlad_numbers_close(&machine->numbers);
    vlad_heap_close(&machine->heap);
    verso_dealloc(machine->registers);
    machine->registers = NULL;
}

static bool exhausted(vlad_machine *machine) {
    (void)vlad_heap_failure(&machine->heap, machine->error);
    return false;
}

/* ---- Frames ---- */

vlad_object *vlad_push_frame(vlad_machine *machine, uint64_t what, const uint32_t *kept, uint32_t count, uint32_t more) {
    vlad_object *frame = vlad_make(&machine->heap, VLAD_FRAME, VLAD_FRAME_KEPT + (uint64_t)count + more);
    if (frame == NULL) {
        (void)exhausted(machine);
        return NULL;
    }
    frame->field[VLAD_FRAME_WHAT] = what;
    frame->field[VLAD_FRAME_NEXT] = machine->registers[VLAD_CONTINUATION];
    frame->field[VLAD_FRAME_SELF] = machine->registers[VLAD_SELF];
    for (uint32_t i = 0; i < count; i++)
        frame->field[VLAD_FRAME_KEPT + i] = machine->registers[VLAD_FIRST_LOCAL + kept[i]];
    machine->registers[VLAD_CONTINUATION] = vlad_value_of(frame);
    return frame;
}

static uint64_t behind(const vlad_expression *e, unsigned part) {
    return (uint64_t)(uintptr_t)e | part;
}

/* Evaluates part `part` next, and goes on behind it. */
static vlad_object *push_part(vlad_machine *machine, const vlad_expression *e, unsigned part, uint32_t more) {
    uint32_t count = part < 2 ? e->kept_count[part] : 0;
    vlad_object *frame = vlad_push_frame(machine, behind(e, part), part < 2 ? e->kept[part] : NULL, count, more);
    machine->at = e->parts[part];
    return frame;
}

static void put_back(vlad_machine *machine, const vlad_object *frame, const uint32_t *kept, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        machine->registers[VLAD_FIRST_LOCAL + kept[i]] = frame->field[VLAD_FRAME_KEPT + i];
}

bool vlad_give(vlad_machine *machine, vlad_value value) {
    if (value == VLAD_NOTHING)
        return exhausted(machine);
    machine->registers[VLAD_RESULT] = value;
    machine->at = NULL;
    return true;
}

/* ---- Values of expressions ---- */

static vlad_value make_closure(vlad_machine *machine, const vlad_lambda *lambda, vlad_value group) {
    vlad_object *closure = vlad_make(&machine->heap, VLAD_CLOSURE, 2);
    if (closure == NULL)
        return VLAD_NOTHING;
    closure->field[0] = (uint64_t)(uintptr_t)lambda;
    closure->field[1] = group;
    return vlad_value_of(closure);
}

static vlad_value look_up(vlad_machine *machine, const vlad_reference *reference) {
    const vlad_value self = machine->registers[VLAD_SELF];
    switch (reference->where) {
    case VLAD_LOCAL: return machine->registers[VLAD_FIRST_LOCAL + reference->index];
    case VLAD_CAPTURED: return vlad_object_of(self)->field[1 + reference->index];
    case VLAD_GROUP: return vlad_object_of(vlad_object_of(self)->field[1])->field[1 + reference->index];
    case VLAD_SIBLING: break;
    }
    const vlad_lambda *lambda = (const vlad_lambda *)(uintptr_t)vlad_object_of(self)->field[0];
    return make_closure(machine, lambda->letrec->lambdas[reference->index], vlad_object_of(self)->field[1]);
}

/* An object of kind (what it is, values that are looked up). */
static vlad_value gather(vlad_machine *machine, vlad_object_kind kind, const void *what, const vlad_reference *from,
                         uint32_t count) {
    vlad_object *object = vlad_make(&machine->heap, kind, 1 + (uint64_t)count);
    if (object == NULL)
        return VLAD_NOTHING;
    object->field[0] = (uint64_t)(uintptr_t)what;
    for (uint32_t i = 0; i < count; i++) {
        object->field[1 + i] = look_up(machine, &from[i]);
        if (object->field[1 + i] == VLAD_NOTHING)
            return VLAD_NOTHING;
    }
    return vlad_value_of(object);
}

static bool evaluate_letrec(vlad_machine *machine, const vlad_expression *e) {
    const vlad_letrec *letrec = e->is.letrec;
    vlad_value group = gather(machine, VLAD_GROUP_VALUES, letrec, letrec->group, letrec->group_count);
    for (uint32_t i = 0; group != VLAD_NOTHING && i < letrec->count; i++) {
        vlad_value closure = make_closure(machine, letrec->lambdas[i], group);
        machine->registers[VLAD_FIRST_LOCAL + e->first_local + i] = closure;
        group = closure == VLAD_NOTHING ? closure : group;
    }
    machine->at = e->parts[0];
    return group != VLAD_NOTHING || exhausted(machine);
}

/* One step: the expression at hand is entered. */
static bool evaluate(vlad_machine *machine) {
    const vlad_expression *e = machine->at;
    machine->steps++;
    switch (e->kind) {
    case VLAD_CONSTANT: return vlad_give(machine, e->is.constant);
    case VLAD_VARIABLE: return vlad_give(machine, look_up(machine, &e->is.variable));
    case VLAD_LAMBDA:
        return vlad_give(
            machine, gather(machine, VLAD_CLOSURE, e->is.lambda, e->is.lambda->captured, e->is.lambda->captured_count));
    case VLAD_LETREC: return evaluate_letrec(machine, e);
    case VLAD_LET: /* the application is one step, the lambda, which is not made, another */
        machine->phase ^= 1;
        if (machine->phase == 1)
            return true;
        break;
    default: break;
    }
    return push_part(machine, e, 0, 0) != NULL;
}

/* ---- Binding ---- */

bool vlad_matches(vlad_value a, vlad_value constant) {
    if (vlad_is_plain(constant))
        return vlad_is_real(a) && vlad_number_plain(a) == vlad_plain(constant);
    return a == constant;
}

bool vlad_refuse_match(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value) {
    char text[80], wanted[80];
    if (pattern->kind == VLAD_MATCH)
        vlad_value_text(pattern->constant, wanted, sizeof wanted);
    vlad_fail_at(machine->sources, pattern->place, VERSO_INVALID, machine->error, "this parameter takes %s, not %s",
                 pattern->kind == VLAD_MATCH ? wanted : "a pair", vlad_value_text(value, text, sizeof text));
    return false;
}

/* Patterns that bind nothing but variables in a row are taken apart in place; the rest of one that branches waits in
 * `later`, which is as long as a pattern branches to the left. */
static bool bind(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value) {
    struct {
        const vlad_pattern *pattern;
        vlad_value value;
    } later[VLAD_PATTERN_DEPTH];
    size_t waiting = 0;
    for (;;) {
        if (pattern->kind == VLAD_TAKE) {
            if (!vlad_is_kind(value, VLAD_PAIR))
                return vlad_refuse_match(machine, pattern, value);
            const vlad_object *pair = vlad_object_of(value);
            later[waiting].pattern = pattern->second; /* expansion keeps to VLAD_PATTERN_DEPTH */
            later[waiting++].value = pair->field[1];
            pattern = pattern->first;
            value = pair->field[0];
            continue;
        }
        if (pattern->kind == VLAD_BIND)
            machine->registers[VLAD_FIRST_LOCAL + pattern->local] = value;
        else if (!vlad_matches(value, pattern->constant))
            return vlad_refuse_match(machine, pattern, value);
        if (waiting == 0)
            return true;
        pattern = later[--waiting].pattern;
        value = later[waiting].value;
    }
}

bool vlad_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument) {
    if (!vlad_is_kind(function, VLAD_CLOSURE)) {
        char text[80];
        vlad_value_text(function, text, sizeof text);
        if (e == NULL)
            verso_fail(machine->error, VERSO_INVALID, "not a function: %s", text);
        else
            vlad_fail_at(machine->sources, e->place, VERSO_INVALID, machine->error, "not a function: %s", text);
        return false;
    }
    const vlad_lambda *lambda = (const vlad_lambda *)(uintptr_t)vlad_object_of(function)->field[0];
    machine->registers[VLAD_SELF] = function;
    machine->at = lambda->body;
    return bind(machine, lambda->parameter, argument);
}

/* ---- Going on behind a part ---- */

static bool continue_application(vlad_machine *machine, const vlad_expression *e, unsigned part,
                                 const vlad_object *frame, vlad_value value) {
    if (part == 1)
        return vlad_apply(machine, e, frame->field[VLAD_FRAME_KEPT], value);
    vlad_object *next = push_part(machine, e, 1, 1);
    if (next != NULL)
        next->field[VLAD_FRAME_KEPT + e->kept_count[1]] = value;
    return next != NULL;
}

/* Values of the parts so far lie behind the locals that are kept. */
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
    case VLAD_LET: machine->at = e->parts[1]; return bind(machine, e->is.pattern, value);
    default: return continue_operator(machine, e, part, frame, value);
    }
}

/* ---- Running ---- */

void vlad_machine_begin(vlad_machine *machine, const vlad_expression *expression) {
    machine->registers[VLAD_CONTINUATION] = VLAD_NULL;
    machine->registers[VLAD_SELF] = VLAD_NULL;
    machine->at = expression;
    machine->phase = 0;
}

verso_status vlad_machine_apply(vlad_machine *machine, vlad_value function, vlad_value argument) {
    vlad_machine_begin(machine, NULL);
    return vlad_apply(machine, NULL, function, argument) ? VERSO_OK : machine->error->status;
}

/* The player that wants to stop here, the outermost of several; player_count: none does. */
static uint32_t who_stops(const vlad_machine *machine) {
    uint32_t i = 0;
    while (i < machine->player_count && machine->steps - machine->players[i].base < machine->players[i].stop)
        i++;
    return i;
}

/* The number of steps before which nobody wants anything. */
static uint64_t next_stop(const vlad_machine *machine) {
    uint64_t next = machine->limit;
    for (uint32_t i = 0; i < machine->player_count; i++) {
        uint64_t stop = verso_add_u64(machine->players[i].base, machine->players[i].stop);
        next = stop < next ? stop : next;
    }
    return next;
}

/* Locals that are not needed any more would keep alive what they show. */
verso_status vlad_machine_collect(vlad_machine *machine) {
    const vlad_expression *e = machine->at;
    uint32_t next = 0;
    for (size_t i = VLAD_FIRST_LOCAL; i < machine->register_count; i++)
        if (e != NULL && next < e->needed_count && i == VLAD_FIRST_LOCAL + e->needed[next])
            next++;
        else
            machine->registers[i] = VLAD_NULL;
    if (e != NULL)
        machine->registers[VLAD_RESULT] = VLAD_NULL;
    return vlad_heap_collect(&machine->heap, machine->error);
}

/* From one step that somebody waits for to the next. */
static vlad_outcome run_to(vlad_machine *machine, uint64_t stop) {
    uint32_t players = machine->player_count;
    for (;;) {
        const vlad_region *region = machine->code != NULL ? vlad_code_region(machine, stop) : NULL;
        if (region != NULL) {
            if (!vlad_code_run(machine, region, stop))
                return VLAD_FAILED;
            if (machine->player_count != players || machine->replayed)
                return VLAD_INTERRUPTED; /* stops are other ones now */
            continue;
        }
        if (machine->at == NULL) {
            if (machine->registers[VLAD_CONTINUATION] == VLAD_NULL)
                return VLAD_ENDED;
            if (!go_on(machine))
                return VLAD_FAILED;
            if (machine->player_count != players || machine->replayed)
                return VLAD_INTERRUPTED; /* stops are other ones now */
            continue;
        }
        if (machine->heap.wanted && vlad_machine_collect(machine) != VERSO_OK)
            return VLAD_FAILED;
        if (machine->steps >= stop)
            return VLAD_INTERRUPTED;
        if (!evaluate(machine))
            return VLAD_FAILED;
    }
}

vlad_outcome vlad_machine_run(vlad_machine *machine) {
    for (;;) {
        machine->replayed = false;
        vlad_outcome outcome = run_to(machine, next_stop(machine));
        if (outcome != VLAD_INTERRUPTED || (machine->at != NULL && machine->steps >= machine->limit))
            return outcome;
        uint32_t i = machine->at != NULL ? who_stops(machine) : machine->player_count;
        if (i < machine->player_count && !vlad_player_stop(machine, i))
            return VLAD_FAILED;
    }
}

/* ---- Capsules ---- */

enum {
    CAPSULE_AT,
    CAPSULE_PHASE,
    CAPSULE_EFFECTS,
    CAPSULE_CONTINUATION,
    CAPSULE_SELF,
    CAPSULE_RESULT,
    CAPSULE_LEVELS,
    CAPSULE_PLAYERS,
    CAPSULE_FIELDS
};
enum { LEVEL_TAG, LEVEL_BORN, LEVEL_FIRST, LEVEL_FILLED, LEVEL_TAPE, LEVEL_FIELDS };
/* Steps that it has done, and where it stops (plus one; 0: nowhere). */
enum { PLAYER_DONE, PLAYER_STOP, PLAYER_LEVEL, PLAYER_PLAY, PLAYER_FIELDS };

static void keep_level(const vlad_numbers *numbers, uint32_t number, vlad_value *fields) {
    const vlad_level *level = &numbers->levels[number];
    fields[LEVEL_TAG] = level->tag;
    fields[LEVEL_BORN] = level->born;
    fields[LEVEL_FIRST] = level->first;
    fields[LEVEL_FILLED] = (uint64_t)level->filled << 1 | level->recording;
    fields[LEVEL_TAPE] = numbers->tapes[number];
}

static void put_back_level(vlad_numbers *numbers, uint32_t number, const vlad_value *fields) {
    numbers->levels[number] = (vlad_level){.tag = fields[LEVEL_TAG],
                                           .born = fields[LEVEL_BORN],
                                           .first = fields[LEVEL_FIRST],
                                           .filled = (uint32_t)(fields[LEVEL_FILLED] >> 1),
                                           .recording = (fields[LEVEL_FILLED] & 1) != 0};
    numbers->tapes[number] = fields[LEVEL_TAPE];
}

static void keep_player(const vlad_machine *machine, uint32_t number, vlad_value *fields) {
    const vlad_player *player = &machine->players[number];
    fields[PLAYER_DONE] = machine->steps - player->base;
    fields[PLAYER_STOP] = player->stop == VLAD_FOR_EVER ? 0 : player->stop + 1;
    fields[PLAYER_LEVEL] = player->level;
    fields[PLAYER_PLAY] = machine->plays[number];
}

static void put_back_player(vlad_machine *machine, uint32_t number, const vlad_value *fields) {
    machine->players[number] = (vlad_player){.base = machine->steps - fields[PLAYER_DONE],
                                             .stop = fields[PLAYER_STOP] == 0 ? VLAD_FOR_EVER : fields[PLAYER_STOP] - 1,
                                             .level = (uint32_t)fields[PLAYER_LEVEL]};
    machine->plays[number] = fields[PLAYER_PLAY];
}

vlad_value vlad_machine_capture(vlad_machine *machine, uint32_t level, uint32_t player) {
    const vlad_expression *e = machine->at;
    uint32_t needed = e != NULL ? e->needed_count : 0, levels = machine->numbers.count - level;
    uint32_t players = machine->player_count - player;
    vlad_object *capsule =
        vlad_make(&machine->heap, VLAD_CAPSULE,
                  CAPSULE_FIELDS + (uint64_t)levels * LEVEL_FIELDS + (uint64_t)players * PLAYER_FIELDS + needed);
    if (capsule == NULL)
        return VLAD_NOTHING;
    capsule->field[CAPSULE_AT] = (uint64_t)(uintptr_t)e;
    capsule->field[CAPSULE_PHASE] = machine->phase;
    capsule->field[CAPSULE_EFFECTS] = machine->effects->at;
    capsule->field[CAPSULE_CONTINUATION] = machine->registers[VLAD_CONTINUATION];
    capsule->field[CAPSULE_SELF] = machine->registers[VLAD_SELF];
    capsule->field[CAPSULE_RESULT] = e == NULL ? machine->registers[VLAD_RESULT] : VLAD_NULL;
    capsule->field[CAPSULE_LEVELS] = levels;
    capsule->field[CAPSULE_PLAYERS] = players;
    vlad_value *rest = &capsule->field[CAPSULE_FIELDS];
    for (uint32_t i = 0; i < levels; i++, rest += LEVEL_FIELDS)
        keep_level(&machine->numbers, level + i, rest);
    for (uint32_t i = 0; i < players; i++, rest += PLAYER_FIELDS)
        keep_player(machine, player + i, rest);
    for (uint32_t i = 0; i < needed; i++)
        rest[i] = machine->registers[VLAD_FIRST_LOCAL + e->needed[i]];
    return vlad_value_of(capsule);
}

void vlad_machine_resume(vlad_machine *machine, vlad_value value, uint32_t level, uint32_t player) {
    const vlad_object *capsule = vlad_object_of(value);
    const vlad_expression *e = (const vlad_expression *)(uintptr_t)capsule->field[CAPSULE_AT];
    uint32_t levels = (uint32_t)capsule->field[CAPSULE_LEVELS], players = (uint32_t)capsule->field[CAPSULE_PLAYERS];
    machine->at = e;
    machine->phase = (unsigned)capsule->field[CAPSULE_PHASE];
    machine->effects->at = capsule->field[CAPSULE_EFFECTS];
    machine->registers[VLAD_CONTINUATION] = capsule->field[CAPSULE_CONTINUATION];
    machine->registers[VLAD_SELF] = capsule->field[CAPSULE_SELF];
    machine->registers[VLAD_RESULT] = capsule->field[CAPSULE_RESULT];
    const vlad_value *rest = &capsule->field[CAPSULE_FIELDS];
    for (uint32_t i = 0; i < levels; i++, rest += LEVEL_FIELDS)
        put_back_level(&machine->numbers, level + i, rest);
    machine->numbers.count = level + levels;
    for (uint32_t i = 0; i < players; i++, rest += PLAYER_FIELDS)
        put_back_player(machine, player + i, rest);
    machine->player_count = player + players;
    machine->replayed = true;
    for (uint32_t i = 0; e != NULL && i < e->needed_count; i++)
        machine->registers[VLAD_FIRST_LOCAL + e->needed[i]] = rest[i];
}
