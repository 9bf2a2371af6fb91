/* Online schedules: the number of steps becomes known at the end of the first sweep.
 *
 * With one tier, every state is stored while there are free slots. Then a state is stored from time to time, and
 * others are given up for it: with few slots the state whose loss costs least (held.c), with many those that keep
 * the distances even (spaced.c). When the end is known, everything is reversed from the held states. With two tiers
 * (DISK-A-REVOLVE), a disk capsule is stored at every multiple of the platform's best period. The memory slots
 * serve the current period in the same way, so that the last period is reversed from memory, and the others are
 * read back. */
#include "schedule/online.h"
#include "base/alloc.h"
#include "base/status.h"
#include "schedule/cost.h"
#include "schedule/spaced.h"

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    verso__walk *walk = &schedule->walk;
    if (spec->steps > 1) {
        verso_status status = verso__need_slots(schedule, 1, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    verso__online *made = schedule->plan = verso__alloc(1, sizeof *made);
    if (made == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule");
    verso_platform platform = {.slots = spec->slots,
                               .write_cost = spec->write_cost,
                               .read_cost = spec->read_cost,
                               .forward_cost = spec->forward_cost};
    if (spec->with_disk && verso__period_best(&platform, &made->best))
        verso__sequence_add_best(&made->sequence, &made->best, VERSO_UNKNOWN / 4 / made->best.steps);
    made->sequence.slots = spec->slots;
    uint64_t longest = made->best.steps > 0 ? made->best.steps : verso__min_u64(spec->steps, VERSO_STEPS_MAX);
    uint64_t likely = made->best.steps == 0 && spec->steps == VERSO_UNKNOWN ? 1000000 : longest;
    if (!verso__revolve_init(&made->sequence.rule, likely, spec->slots, 0) ||
        !verso__held_table_init(&made->placing, spec->slots, longest))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule of %llu slots",
                           (unsigned long long)spec->slots);
    walk->extra[MODE] = ARRIVED;
    walk->extra[MOVED] = 1;
    walk->extra[STEPS] = spec->steps;
    return VERSO_STATUS_OK;
}

static void plan_free(void *plan) {
    verso__online *owned = plan;
    verso__revolve_clear(&owned->sequence.rule);
    verso__beta_table_clear(&owned->placing);
}

/* ---- The first sweep ---- */

uint64_t verso__online_residual(const verso__walk *walk) {
    return walk->extra[DISK] > 0 ? walk->extra[DISK] - 1 : 0;
}

uint64_t verso__online_longest_stretch(const verso_schedule *schedule) {
    const verso__online *plan = schedule->plan;
    return plan->best.steps > 0 ? plan->best.steps : schedule->walk.extra[STEPS];
}

static uint64_t period_of(const verso__online *plan, uint64_t at) {
    return plan->best.steps > 0 ? at / plan->best.steps : 0;
}

static uint64_t period_start(const verso__online *plan, uint64_t at) {
    return plan->best.steps > 0 ? at - at % plan->best.steps : 0;
}

static uint64_t *held_entry(const verso_schedule *schedule, uint64_t i) {
    return schedule->stack + i * VERSO_HELD_WORDS;
}

/* Moves the entries that have been given up, from `first` on, after those that are still held: their slots are
 * free. */
static void compact_held(verso_schedule *schedule, uint64_t first) {
    uint64_t *held = &schedule->walk.extra[HELD];
    uint64_t kept = first;
    for (uint64_t i = first; i < *held; i++) {
        uint64_t *entry = held_entry(schedule, i);
        uint64_t *place = held_entry(schedule, kept);
        if (entry[VERSO_HELD_TARGET] == VERSO_HELD_EVICT)
            continue;
        for (uint64_t w = 0; w < VERSO_HELD_WORDS && kept < i; w++) {
            uint64_t word = place[w];
            place[w] = entry[w];
            entry[w] = word;
        }
        kept++;
    }
    *held = kept;
}

/* Discards the next of the states to be given up. The array is put in order only when all of them are discarded:
 * one pass for many. */
static verso_action discard_next(verso_schedule *schedule) {
    uint64_t *extra = schedule->walk.extra;
    uint64_t *entry = held_entry(schedule, extra[LEAVING]);
    entry[VERSO_HELD_TARGET] = VERSO_HELD_EVICT;
    verso_action action =
        verso__make_slot_action(VERSO_ACTION_DISCARD, entry[VERSO_HELD_POSITION], 0, entry[VERSO_HELD_SLOT]);
    if (--extra[LEAVING_LEFT] > 0)
        extra[LEAVING] -= 2;
    else
        compact_held(schedule, extra[LEAVING]);
    return action;
}

/* Starts discarding `count` held states: `last` and every other one before it. */
static verso_action begin_discarding(verso_schedule *schedule, uint64_t last, uint64_t count) {
    schedule->walk.extra[LEAVING] = last;
    schedule->walk.extra[LEAVING_LEFT] = count;
    return discard_next(schedule);
}

static verso_status store_held(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    uint64_t count = walk->extra[HELD];
    if (walk->used == count * VERSO_HELD_WORDS) { /* no previously used slot is free */
        verso_status status = verso__stack_reserve(schedule, VERSO_HELD_WORDS, error);
        if (status != VERSO_STATUS_OK)
            return status;
        walk->used += VERSO_HELD_WORDS;
        held_entry(schedule, count)[VERSO_HELD_SLOT] = count;
    }
    uint64_t *entry = held_entry(schedule, count);
    entry[VERSO_HELD_POSITION] = walk->at;
    entry[VERSO_HELD_TARGET] = 0;
    walk->extra[HELD]++;
    walk->extra[MODE] = LEAVE;
    *action = verso__make_slot_action(VERSO_ACTION_STORE, walk->at, 0, entry[VERSO_HELD_SLOT]);
    return VERSO_STATUS_OK;
}

/* Returns the set with x_at added. Distances never increase to the right, so bisection finds the end of a run of
 * equal distances. */
static verso__spaced spaced_set(const verso_schedule *schedule) {
    uint64_t count = schedule->walk.extra[HELD];
    verso__spaced set = {0};
    for (uint64_t i = 0; i + 1 < count;) {
        uint64_t from = held_entry(schedule, i)[VERSO_HELD_POSITION];
        uint64_t gap = held_entry(schedule, i + 1)[VERSO_HELD_POSITION] - from;
        uint64_t low = i + 1;
        uint64_t high = count - 1;
        while (low < high) {
            uint64_t middle = high - (high - low) / 2;
            if (held_entry(schedule, middle)[VERSO_HELD_POSITION] - from == verso__mul_u64(gap, middle - i))
                low = middle;
            else
                high = middle - 1;
        }
        verso__spaced_add(&set, gap, low - i);
        i = low;
    }
    verso__spaced_add(&set, schedule->walk.at - held_entry(schedule, count - 1)[VERSO_HELD_POSITION], 1);
    return set;
}

/* Gives states up to make room for x_at or for the steps after it. Returns false if there is nothing to give up. */
static bool thin_out(verso_schedule *schedule, uint64_t start, verso_action *action) {
    verso__walk *walk = &schedule->walk;
    verso__online *plan = schedule->plan;
    uint64_t slots = schedule->spec.slots;
    uint64_t count = walk->extra[HELD];
    if (slots > VERSO_HELD_FEW) {
        if (count == 0 || !verso__spaced_due(slots, count, walk->at - start))
            return false;
        verso__spaced set = spaced_set(schedule);
        verso__carry carry;
        if (!verso__spaced_choose(&plan->placing, &set, slots, &carry))
            return false;
        *action = begin_discarding(schedule, carry.last, carry.pairs);
        return true;
    }
    if (count < slots)
        return false;
    uint64_t gap = verso__held_gap(count, slots, walk->at - start);
    uint64_t victim = verso__held_victim(&plan->placing, &plan->guesses, schedule->stack, count, walk->at, gap);
    if (victim < count)
        *action = begin_discarding(schedule, victim, 1);
    return victim < count;
}

/* Sets *action to the next action at x_at. Returns false if nothing more is to be done here. */
static bool arrive(verso_schedule *schedule, verso_action *action, verso_error *error, verso_status *status) {
    verso__walk *walk = &schedule->walk;
    const verso__online *plan = schedule->plan;
    uint64_t count = walk->extra[HELD];
    uint64_t start = period_start(plan, walk->at);
    if (walk->extra[LEAVING_LEFT] > 0) {
        *action = discard_next(schedule);
        return true;
    }
    if (plan->best.steps > 0 && walk->at == start && walk->extra[DISK] == period_of(plan, start)) {
        *action = verso__make_slot_action(VERSO_ACTION_STORE, walk->at, 1, walk->extra[DISK]++);
        return true;
    }
    if (count > 0 && schedule->stack[VERSO_HELD_POSITION] < start) { /* of the previous period */
        *action = begin_discarding(schedule, count - 1, 1);
        return true;
    }
    if (thin_out(schedule, start, action))
        return true;
    if (count == schedule->spec.slots)
        return false;
    *status = store_held(schedule, action, error);
    return true;
}

static verso_status leave(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    const verso__online *plan = schedule->plan;
    uint64_t start = period_start(plan, walk->at);
    uint64_t slots = schedule->spec.slots;
    uint64_t to = walk->at + (slots <= VERSO_HELD_FEW ? verso__held_gap(walk->extra[HELD], slots, walk->at - start)
                                                      : verso__spaced_gap(slots, walk->at - start));
    if (plan->best.steps > 0)
        to = verso__min_u64(to, start + plan->best.steps);
    if (walk->extra[STEPS] != VERSO_UNKNOWN)
        to = verso__min_u64(to, walk->extra[STEPS] - 1);
    if (to > VERSO_STEPS_MAX)
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                           "the computation has not ended after %llu steps, and more cannot be planned",
                           (unsigned long long)walk->at);
    walk->extra[FROM] = walk->at;
    walk->extra[MOVED] = 1;
    walk->at = to;
    walk->extra[MODE] = ARRIVED;
    *action = verso__make_action(VERSO_ACTION_ADVANCE, walk->extra[FROM], to);
    return VERSO_STATUS_OK;
}

/* ---- The end ---- */

static void finish_sweep(verso_schedule *schedule) {
    verso__walk *walk = &schedule->walk;
    walk->end = walk->extra[STEPS];
    walk->extra[STOPPED] = walk->at;
    walk->extra[MODE] = walk->at < walk->end ? LAST_STEP : PLAN;
}

/* Converts the held set to the machine's stack: the slots by depth, the targets by depth, the frames. */
static verso_status begin_reversal(verso_schedule *schedule, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    uint64_t count = walk->extra[HELD];
    uint64_t start = count > 0 ? schedule->stack[VERSO_HELD_POSITION] : walk->end;
    uint64_t ids = verso__min_u64(schedule->spec.slots, verso__online_longest_stretch(schedule));
    for (uint64_t i = 0; i < count; i++)
        ids = verso__max_u64(ids, held_entry(schedule, i)[VERSO_HELD_SLOT] + 1);
    uint64_t words = ids + count + count * VERSO_FRAME_WORDS;
    uint64_t *stack = verso__alloc(words + ids, sizeof *stack);
    if (stack == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the schedule's list of %llu slots",
                           (unsigned long long)ids);
    uint64_t *depth_of = stack + words; /* depth of each slot; temporary */
    for (uint64_t i = 0; i < ids; i++)
        stack[i] = depth_of[i] = i;
    for (uint64_t i = 0; i < count; i++) { /* a transposition moves each held slot to its depth */
        const uint64_t *entry = held_entry(schedule, i);
        uint64_t slot = entry[VERSO_HELD_SLOT];
        uint64_t at = depth_of[slot];
        stack[at] = stack[i];
        depth_of[stack[i]] = at;
        stack[i] = slot;
        depth_of[slot] = i;
        stack[ids + i] = entry[VERSO_HELD_TARGET];
        stack[ids + count + i * VERSO_FRAME_WORDS] = entry[VERSO_HELD_POSITION];
    }
    verso__dealloc(schedule->stack);
    schedule->stack = stack;
    schedule->stack_capacity = words + ids;
    walk->used = words;
    walk->phase = VERSO_MACHINE_RESTORE;
    walk->extra[VERSO_MACHINE_FLOOR] = start;
    walk->extra[IDS] = ids;
    walk->extra[TARGETS] = count;
    walk->extra[MOVING] = NOT_MOVING;
    walk->extra[MODE] = REVERSAL;
    walk->extra[VERSO_OUTER_MODE] = VERSO_OUTER_INNER;
    walk->extra[VERSO_OUTER_PERIOD] = verso__online_residual(walk);
    return VERSO_STATUS_OK;
}

static verso_status plan_reversal(verso_schedule *schedule, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    uint64_t count = walk->extra[HELD];
    verso__wide forward;
    if (count > VERSO_ONLINE_PLANNED_MAX) {
        uint64_t *last = held_entry(schedule, count - 1); /* only the last one can be at the end */
        last[VERSO_HELD_TARGET] = last[VERSO_HELD_POSITION] < walk->end ? 0 : VERSO_HELD_EVICT;
    } else if (count > 0 && !verso__held_plan(schedule->stack, count, schedule->spec.slots, walk->end, &forward)) {
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to plan the reversal");
    }
    walk->extra[MODE] = walk->extra[DISK] > 0 ? DROP_DISK : LET_GO;
    return VERSO_STATUS_OK;
}

static bool discard_evicted(verso_schedule *schedule, verso_action *action) {
    for (uint64_t i = schedule->walk.extra[HELD]; i-- > 0;) {
        if (held_entry(schedule, i)[VERSO_HELD_TARGET] == VERSO_HELD_EVICT) {
            *action = begin_discarding(schedule, i, 1);
            return true;
        }
    }
    return false;
}

/* ---- The reversal ---- */

verso__machine verso__online_machine(const verso_schedule *schedule) {
    const verso__online *plan = schedule->plan;
    verso__machine machine = verso__revolve_machine(&plan->sequence.rule, schedule->spec.slots);
    machine.base = schedule->walk.extra[IDS] + schedule->walk.extra[TARGETS];
    machine.slot_ids = true;
    return machine;
}

uint64_t *verso__online_top_target(const verso_schedule *schedule, const verso__machine *machine) {
    const verso__walk *walk = &schedule->walk;
    uint64_t depth = verso__machine_depth(schedule, machine);
    if (walk->extra[VERSO_OUTER_MODE] != VERSO_OUTER_INNER || walk->phase != VERSO_MACHINE_RESTORE || depth == 0 ||
        depth > walk->extra[TARGETS])
        return NULL;
    uint64_t *target = schedule->stack + walk->extra[IDS] + depth - 1;
    return *target > 0 ? target : NULL;
}

/* Moves the top capsule: restore, discard, advance, store in the same slot. If only one step is left after the
 * target, that step is reversed at once instead of storing. */
static verso_action move_top(verso_schedule *schedule, const verso__machine *machine, uint64_t *target) {
    verso__walk *walk = &schedule->walk;
    uint64_t *frame = schedule->stack + walk->used - VERSO_FRAME_WORDS;
    uint64_t slot = schedule->stack[verso__machine_depth(schedule, machine) - 1];
    uint64_t from = frame[0];
    uint64_t to = *target;
    switch ((enum verso__online_moving)walk->extra[MOVING]) {
    case NOT_MOVING:
        walk->extra[MOVING] = MOVE_DISCARD;
        return verso__make_slot_action(VERSO_ACTION_RESTORE, from, 0, slot);
    case MOVE_DISCARD:
        walk->extra[MOVING] = MOVE_ADVANCE;
        return verso__make_slot_action(VERSO_ACTION_DISCARD, from, 0, slot);
    case MOVE_ADVANCE:
        walk->extra[MOVING] = MOVE_STORE;
        walk->at = to;
        if (walk->end - to == 1) {
            *target = 0;
            walk->used -= VERSO_FRAME_WORDS;
            walk->phase = VERSO_MACHINE_REVERSE;
            walk->extra[MOVING] = NOT_MOVING;
        }
        return verso__make_action(VERSO_ACTION_ADVANCE, from, to);
    case MOVE_STORE: break;
    }
    *target = 0;
    frame[0] = to;
    walk->phase = VERSO_MACHINE_STORED;
    walk->extra[MOVING] = NOT_MOVING;
    return verso__make_slot_action(VERSO_ACTION_STORE, to, 0, slot);
}

static verso_status reversal(verso_schedule *schedule, verso_action *action, verso_error *error) {
    const verso__online *plan = schedule->plan;
    verso__machine machine = verso__online_machine(schedule);
    uint64_t *target = verso__online_top_target(schedule, &machine);
    if (target == NULL)
        return verso__outer_next(schedule, &plan->sequence, &machine, action, error);
    *action = move_top(schedule, &machine, target);
    return VERSO_STATUS_OK;
}

/* ---- The kind ---- */

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    verso_status status = VERSO_STATUS_OK;
    for (;;) {
        switch ((enum verso__online_mode)walk->extra[MODE]) {
        case ARRIVED:
            if (walk->extra[STEPS] != VERSO_UNKNOWN && walk->at + 1 >= walk->extra[STEPS]) {
                finish_sweep(schedule);
                continue;
            }
            if (arrive(schedule, action, error, &status)) {
                walk->extra[MOVED] = status == VERSO_STATUS_OK ? 0 : walk->extra[MOVED];
                return status;
            }
            walk->extra[MODE] = LEAVE;
            continue;
        case LEAVE: return leave(schedule, action, error);
        case LAST_STEP:
            *action = verso__make_action(VERSO_ACTION_REVERSE, walk->end, walk->at);
            walk->end = walk->at;
            walk->extra[MODE] = PLAN;
            return VERSO_STATUS_OK;
        case PLAN:
            status = plan_reversal(schedule, error);
            if (status != VERSO_STATUS_OK)
                return status;
            continue;
        case DROP_DISK: /* of the period that memory holds */
            *action = verso__make_slot_action(VERSO_ACTION_DISCARD,
                                              verso__online_residual(walk) *
                                                  ((const verso__online *)schedule->plan)->best.steps,
                                              1, verso__online_residual(walk));
            walk->extra[MODE] = LET_GO;
            return VERSO_STATUS_OK;
        case LET_GO:
            if (discard_evicted(schedule, action))
                return VERSO_STATUS_OK;
            status = begin_reversal(schedule, error);
            if (status != VERSO_STATUS_OK)
                return status;
            continue;
        case REVERSAL:
        case MODES: return reversal(schedule, action, error);
        }
    }
}

static verso_status end(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    if (walk->extra[STEPS] != VERSO_UNKNOWN)
        return verso__fail(error, VERSO_STATUS_STATE, "the schedule already knows that there are %llu steps",
                           (unsigned long long)walk->extra[STEPS]);
    if (walk->extra[MODE] != ARRIVED || !walk->extra[MOVED])
        return verso__fail(error, VERSO_STATUS_STATE,
                           "verso_schedule_end may be called only before the first action or right after an advance");
    if (at < walk->extra[FROM] || at > walk->at)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the working state cannot be x_%llu: the last advance was from %llu to %llu",
                           (unsigned long long)at, (unsigned long long)walk->extra[FROM], (unsigned long long)walk->at);
    if (at != steps && at + 1 != steps)
        return verso__fail(error, VERSO_STATUS_INVALID, "a sweep at x_%llu cannot end after %llu steps",
                           (unsigned long long)at, (unsigned long long)steps);
    walk->extra[VISITED] = at == walk->extra[FROM] && walk->extra[HELD] > 0;
    walk->at = at;
    walk->extra[STEPS] = steps;
    finish_sweep(schedule);
    return VERSO_STATUS_OK;
}

static verso_status cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    const uint64_t *extra = schedule->walk.extra;
    uint64_t steps = extra[STEPS];
    if (steps == VERSO_UNKNOWN)
        return verso__fail(error, VERSO_STATUS_STATE,
                           "the cost of an online schedule is unknown until its number of steps is known");
    bool in_sweep = extra[MODE] == ARRIVED || extra[MODE] == LEAVE;
    uint64_t stopped = in_sweep ? (steps > 0 ? steps - 1 : 0) : extra[STOPPED];
    cost->steps = steps;
    return verso__online_cost(schedule, stopped, !in_sweep && extra[VISITED], cost, error);
}

const verso__kind verso__kind_online = {
    .plan = plan, .plan_free = plan_free, .next = next, .cost = cost, .valid = verso__online_valid, .end = end};
