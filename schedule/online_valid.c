/* Checks whether the words of a cursor could have come from an online schedule. Accepted words may be nonsensical,
 * but cannot lead outside of arrays. */
#include "base/wide.h"
#include "schedule/online.h"

/* The states that are still to be discarded are held, and the first state is not among them. */
static bool is_valid_leaving(const verso__walk *walk) {
    uint64_t left = walk->extra[LEAVING_LEFT];
    if (left == 0)
        return true;
    return walk->extra[MODE] == ARRIVED && walk->extra[LEAVING] < walk->extra[HELD] &&
           left <= (walk->extra[LEAVING] + 1) / 2;
}

static bool is_valid_held(const verso_schedule *schedule) {
    const verso__walk *walk = &schedule->walk;
    uint64_t entries = walk->used / VERSO_HELD_WORDS;
    if (walk->used % VERSO_HELD_WORDS != 0 || entries > schedule->spec.slots || walk->extra[HELD] > entries ||
        !is_valid_leaving(walk))
        return false;
    uint64_t low = 0;
    /* in mode ARRIVED, x_at is not yet considered for storing */
    uint64_t beyond = walk->at + (walk->extra[MODE] != ARRIVED);
    for (uint64_t i = 0; i < entries; i++) {
        const uint64_t *entry = schedule->stack + i * VERSO_HELD_WORDS;
        uint64_t target = entry[VERSO_HELD_TARGET];
        uint64_t target_limit = walk->extra[MODE] > PLAN ? VERSO_UNKNOWN / 2 : 1; /* before that, no state moves */
        if (entry[VERSO_HELD_SLOT] >= schedule->spec.slots || (target != VERSO_HELD_EVICT && target >= target_limit))
            return false;
        if (i < walk->extra[HELD] && (entry[VERSO_HELD_POSITION] < low || entry[VERSO_HELD_POSITION] >= beyond))
            return false;
        low = entry[VERSO_HELD_POSITION] + 1;
    }
    return true;
}

static bool is_valid_reversal(const verso_schedule *schedule) {
    const verso__online *plan = schedule->plan;
    const verso__walk *walk = &schedule->walk;
    const uint64_t *extra = walk->extra;
    if (extra[IDS] > walk->used || extra[TARGETS] > walk->used - extra[IDS] || extra[MOVING] > MOVE_STORE ||
        extra[IDS] < verso__min_u64(schedule->spec.slots, verso__online_longest_stretch(schedule)) ||
        walk->end > extra[STEPS])
        return false;
    for (uint64_t i = 0; i < extra[IDS]; i++)
        if (schedule->stack[i] >= schedule->spec.slots)
            return false;
    verso__machine machine = verso__online_machine(schedule);
    uint64_t *target = verso__online_top_target(schedule, &machine);
    if (target != NULL && (*target >= walk->end || *target <= schedule->stack[walk->used - VERSO_FRAME_WORDS]))
        return false;
    if (extra[TARGETS] > 0 && schedule->stack[extra[IDS]] != 0) /* the first state never moves */
        return false;
    if (extra[VERSO_OUTER_MODE] == VERSO_OUTER_OVER)
        return walk->end == 0 && walk->used == machine.base;
    if (extra[VERSO_OUTER_MODE] == VERSO_OUTER_INNER && extra[VERSO_OUTER_PERIOD] == verso__online_residual(walk))
        return verso__machine_valid(schedule, &machine) &&
               verso__sequence_place(&plan->sequence, verso__online_residual(walk)).start == extra[VERSO_MACHINE_FLOOR];
    return extra[VERSO_OUTER_PERIOD] < verso__online_residual(walk) &&
           verso__outer_valid(schedule, &plan->sequence, &machine);
}

bool verso__online_valid(const verso_schedule *schedule) {
    const verso__walk *walk = &schedule->walk;
    const verso__online *plan = schedule->plan;
    const uint64_t *extra = walk->extra;
    uint64_t limit = VERSO_UNKNOWN / 8;
    bool known = extra[STEPS] != VERSO_UNKNOWN;
    bool in_sweep = extra[MODE] <= LEAVE;
    if (extra[MODE] >= MODES || extra[MOVED] > 1 || extra[VISITED] > 1 || walk->at > limit ||
        (known && extra[STEPS] > limit) || (in_sweep && extra[FROM] > walk->at) ||
        (!in_sweep && (extra[STOPPED] > extra[STEPS] || extra[STEPS] - extra[STOPPED] > 1)) ||
        extra[DISK] > (plan->best.steps > 0 ? limit / plan->best.steps : 0) ||
        (schedule->spec.steps != VERSO_UNKNOWN && extra[STEPS] != schedule->spec.steps))
        return false;
    switch ((enum verso__online_mode)extra[MODE]) {
    case ARRIVED:
    case LEAVE:
        return is_valid_held(schedule) && (!known || walk->at < extra[STEPS] || extra[STEPS] == 0) &&
               (schedule->spec.slots > 0 || !known || extra[STEPS] <= 1);
    case LAST_STEP:
    case PLAN:
    case DROP_DISK:
    case LET_GO:
        return known && is_valid_held(schedule) && walk->end <= extra[STEPS] &&
               (extra[MODE] != LAST_STEP || walk->at < walk->end) && (extra[MODE] != DROP_DISK || extra[DISK] > 0);
    case REVERSAL: return known && is_valid_reversal(schedule);
    case MODES: break;
    }
    return false;
}
