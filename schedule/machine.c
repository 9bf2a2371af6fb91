/* See machine.h. */
#include "schedule/machine.h"

static uint64_t slot_of(const verso_schedule *schedule, const verso__machine *machine, uint64_t depth) {
    return machine->slot_ids ? schedule->stack[depth] : depth;
}

uint64_t verso__machine_depth(const verso_schedule *schedule, const verso__machine *machine) {
    return (schedule->walk.used - machine->base) / VERSO_FRAME_WORDS;
}

void verso__machine_start(verso_schedule *schedule, uint64_t at, uint64_t end, uint64_t a, uint64_t b) {
    verso__walk *walk = &schedule->walk;
    walk->phase = VERSO_MACHINE_FRESH;
    walk->at = at;
    walk->end = end;
    walk->extra[VERSO_MACHINE_FLOOR] = at;
    walk->extra[VERSO_MACHINE_A] = a;
    walk->extra[VERSO_MACHINE_B] = b;
}

static verso__node fresh_node(const verso_schedule *schedule, const verso__machine *machine) {
    const verso__walk *walk = &schedule->walk;
    return (verso__node){.length = walk->end - walk->at,
                         .slots = machine->slots - verso__machine_depth(schedule, machine),
                         .a = walk->extra[VERSO_MACHINE_A],
                         .b = walk->extra[VERSO_MACHINE_B]};
}

static verso__node top_node(const verso_schedule *schedule, const verso__machine *machine, const uint64_t *top) {
    return (verso__node){.length = schedule->walk.end - top[0],
                         .slots = machine->slots - verso__machine_depth(schedule, machine) + 1,
                         .a = top[1],
                         .b = top[2]};
}

/* Sets actions field by field in place: this is the inner loop of every schedule, and building and copying a struct
 * would cost more than everything else. */
static void set_action(verso_action *action, verso_action_kind kind, uint64_t from, uint64_t to, uint64_t slot) {
    action->kind = kind;
    action->tier = 0;
    action->slot = slot;
    action->from = from;
    action->to = to;
}

static void reverse_leaf(verso__walk *walk, verso_action *action) {
    set_action(action, VERSO_ACTION_REVERSE, walk->end, walk->at, 0);
    walk->end = walk->at;
    walk->phase = VERSO_MACHINE_RESTORE;
}

static verso_status begin_interval(verso_schedule *schedule, const verso__machine *machine, verso_action *action,
                                   verso_error *error) {
    verso__walk *walk = &schedule->walk;
    verso__node node = fresh_node(schedule, machine);
    if (machine->leaf(machine->plan, &node)) {
        reverse_leaf(walk, action);
        return VERSO_STATUS_OK;
    }
    verso_status status = verso__stack_reserve(schedule, VERSO_FRAME_WORDS, error);
    if (status != VERSO_STATUS_OK)
        return status;
    uint64_t depth = verso__machine_depth(schedule, machine);
    uint64_t *frame = schedule->stack + walk->used;
    frame[0] = walk->at;
    frame[1] = node.a;
    frame[2] = node.b;
    walk->used += VERSO_FRAME_WORDS;
    walk->phase = VERSO_MACHINE_STORED;
    set_action(action, VERSO_ACTION_STORE, walk->at, 0, slot_of(schedule, machine, depth));
    return VERSO_STATUS_OK;
}

static void split_interval(verso_schedule *schedule, const verso__machine *machine, verso_action *action) {
    verso__walk *walk = &schedule->walk;
    uint64_t *top = schedule->stack + walk->used - VERSO_FRAME_WORDS;
    verso__node node = top_node(schedule, machine, top);
    verso__node right = {0};
    uint64_t advance = machine->split(machine->plan, &node, &right);
    top[1] = node.a;
    top[2] = node.b;
    set_action(action, VERSO_ACTION_ADVANCE, walk->at, walk->at + advance, 0);
    walk->at += advance;
    walk->extra[VERSO_MACHINE_A] = right.a;
    walk->extra[VERSO_MACHINE_B] = right.b;
    walk->phase = VERSO_MACHINE_FRESH;
}

static void restore_top(verso_schedule *schedule, const verso__machine *machine, verso_action *action) {
    verso__walk *walk = &schedule->walk;
    if (walk->used == machine->base) {
        set_action(action, VERSO_ACTION_DONE, 0, 0, 0);
        return;
    }
    const uint64_t *top = schedule->stack + walk->used - VERSO_FRAME_WORDS;
    verso__node node = top_node(schedule, machine, top);
    uint64_t depth = verso__machine_depth(schedule, machine);
    walk->at = top[0];
    walk->phase = machine->leaf(machine->plan, &node) ? VERSO_MACHINE_LAST : VERSO_MACHINE_STORED;
    set_action(action, VERSO_ACTION_RESTORE, walk->at, 0, slot_of(schedule, machine, depth - 1));
}

static void discard_top(verso_schedule *schedule, const verso__machine *machine, verso_action *action) {
    verso__walk *walk = &schedule->walk;
    walk->used -= VERSO_FRAME_WORDS;
    walk->phase = VERSO_MACHINE_REVERSE;
    uint64_t depth = verso__machine_depth(schedule, machine);
    set_action(action, VERSO_ACTION_DISCARD, walk->at, 0, slot_of(schedule, machine, depth));
}

verso_status verso__machine_next(verso_schedule *schedule, const verso__machine *machine, verso_action *action,
                                 verso_error *error) {
    verso__walk *walk = &schedule->walk;
    switch ((enum verso__machine_phase)walk->phase) {
    case VERSO_MACHINE_FRESH:
        if (walk->end != walk->extra[VERSO_MACHINE_FLOOR])
            return begin_interval(schedule, machine, action, error);
        set_action(action, VERSO_ACTION_DONE, 0, 0, 0); /* the interval is empty */
        break;
    case VERSO_MACHINE_STORED: split_interval(schedule, machine, action); break;
    case VERSO_MACHINE_RESTORE: restore_top(schedule, machine, action); break;
    case VERSO_MACHINE_LAST: discard_top(schedule, machine, action); break;
    case VERSO_MACHINE_REVERSE:
    case VERSO_MACHINE_PHASES: reverse_leaf(walk, action); break;
    }
    return VERSO_STATUS_OK;
}

bool verso__machine_valid(const verso_schedule *schedule, const verso__machine *machine) {
    const verso__walk *walk = &schedule->walk;
    if (walk->phase >= VERSO_MACHINE_PHASES || walk->used < machine->base ||
        (walk->used - machine->base) % VERSO_FRAME_WORDS != 0)
        return false;
    uint64_t depth = verso__machine_depth(schedule, machine);
    uint64_t floor = walk->extra[VERSO_MACHINE_FLOOR];
    bool unheld = depth == 0 && (walk->phase == VERSO_MACHINE_FRESH || walk->phase == VERSO_MACHINE_REVERSE);
    if (depth > machine->slots || floor > walk->end || (depth > 0 && schedule->stack[machine->base] != floor) ||
        (unheld && walk->at != floor))
        return false;
    uint64_t low = floor;
    for (uint64_t i = 0; i < depth; i++) {
        uint64_t position = schedule->stack[machine->base + i * VERSO_FRAME_WORDS];
        if (position < low || position >= walk->end)
            return false;
        low = position + 1;
    }
    const uint64_t *top = depth > 0 ? schedule->stack + walk->used - VERSO_FRAME_WORDS : NULL;
    switch ((enum verso__machine_phase)walk->phase) {
    case VERSO_MACHINE_FRESH:
        return walk->at <= walk->end && walk->at >= low && (walk->at < walk->end || depth == 0) &&
               (depth < machine->slots || walk->end - walk->at <= 1);
    case VERSO_MACHINE_STORED: return top != NULL && walk->at == top[0] && walk->end - walk->at > 1;
    case VERSO_MACHINE_LAST: return top != NULL && walk->at == top[0];
    case VERSO_MACHINE_RESTORE: return depth > 0 || walk->end == floor;
    case VERSO_MACHINE_REVERSE: return walk->at < walk->end && walk->at >= low;
    case VERSO_MACHINE_PHASES: break;
    }
    return false;
}
