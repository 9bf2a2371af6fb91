/* The kinds of paper 5 with one tier. All are binomial; they differ in how they prepare for a breakdown:
 *
 *   resilient        no advance is longer than the distance (revolve.c clips the step of Theorem 4.2)
 *   continuous       revolve on c slots; in the first sweep the slot that is needed last is overwritten at a distance
 *   single-recovery  revolve on c - 1 slots; in the first sweep the last slot is overwritten at a distance
 *
 * All make the adjoint durable after every `adjoint_distance` reversed steps, but not at the very end, when the
 * result is known. The machine's actions are passed on; longer advances of the first sweep are divided to store the
 * recovery capsule in between. */
#include "schedule/resilient.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/cost.h"

enum words {
    ADJOINT_DUE = VERSO_MACHINE_WORDS, /* store the adjoint of x_end before anything else */
    TARGET,                            /* end of the current advance, or 0 */
    REACHED,                           /* position within it */
    RECOVERY,                          /* position of the recovery capsule + 1, or 0 */
    STORE_NOW,                         /* store x_REACHED as the recovery capsule */
    SWEPT,                             /* the first sweep is over */
};

static bool has_recovery(const verso_schedule *schedule) {
    return schedule->spec.kind != VERSO_KIND_RESILIENT;
}

static uint64_t binomial_slots(const verso_schedule *schedule) {
    uint64_t slots = schedule->spec.slots;
    return schedule->spec.kind == VERSO_KIND_SINGLE_RECOVERY && slots > 0 ? slots - 1 : slots;
}

static uint64_t recovery_distance(const verso_schedule *schedule) {
    return schedule->spec.distance > 0 ? schedule->spec.distance : 1;
}

static verso_status check_distance(const verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    if (spec->steps <= 1 || verso__mul_u64(spec->distance, spec->slots) >= spec->steps)
        return VERSO_STATUS_OK;
    return verso__fail(
        error, VERSO_STATUS_IMPOSSIBLE,
        "%llu slots at a distance of %llu reach %llu steps, not %llu: the distance must be at least %llu, or "
        "the slots at least %llu",
        (unsigned long long)spec->slots, (unsigned long long)spec->distance,
        (unsigned long long)(spec->slots * spec->distance), (unsigned long long)spec->steps,
        (unsigned long long)((spec->steps + spec->slots - 1) / spec->slots),
        (unsigned long long)(spec->distance == 0 ? spec->steps : (spec->steps + spec->distance - 1) / spec->distance));
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    verso_status status = VERSO_STATUS_OK;
    if (spec->steps > 1)
        status = verso__need_slots(schedule, spec->kind == VERSO_KIND_SINGLE_RECOVERY ? 2 : 1, error);
    if (status == VERSO_STATUS_OK && spec->kind == VERSO_KIND_RESILIENT)
        status = check_distance(schedule, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__revolve *rule = schedule->plan = verso__alloc(1, sizeof *rule);
    uint64_t distance = spec->kind == VERSO_KIND_RESILIENT ? spec->distance : VERSO_UNKNOWN;
    if (rule == NULL || !verso__revolve_init(rule, spec->steps, binomial_slots(schedule), distance))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule of %llu slots",
                           (unsigned long long)spec->slots);
    verso__machine_start(schedule, 0, spec->steps, 0, spec->kind == VERSO_KIND_RESILIENT);
    return VERSO_STATUS_OK;
}

/* ---- Actions ---- */

static uint64_t recovery_slot(const verso_schedule *schedule) {
    return schedule->spec.slots - 1;
}

/* Returns whether the slot of the recovery capsule is free and the machine will not need it during this advance. */
static bool is_recovery_slot_free(const verso_schedule *schedule, const verso__machine *machine) {
    return schedule->spec.kind == VERSO_KIND_SINGLE_RECOVERY ||
           verso__machine_depth(schedule, machine) < schedule->spec.slots;
}

static bool must_drop_recovery(const verso_schedule *schedule, const verso__machine *machine) {
    const verso__walk *walk = &schedule->walk;
    if (walk->extra[RECOVERY] == 0)
        return false;
    if (walk->extra[SWEPT] || walk->extra[STORE_NOW])
        return true;
    bool last_slot = verso__machine_depth(schedule, machine) + 1 == schedule->spec.slots;
    return schedule->spec.kind == VERSO_KIND_CONTINUOUS && last_slot && walk->phase == VERSO_MACHINE_FRESH &&
           walk->extra[TARGET] == 0 && walk->end - walk->at > 1;
}

static verso_action continue_advance(verso_schedule *schedule, const verso__machine *machine) {
    verso__walk *walk = &schedule->walk;
    uint64_t from = walk->extra[REACHED];
    uint64_t to = walk->extra[TARGET];
    uint64_t distance = recovery_distance(schedule);
    if (to - from > distance && is_recovery_slot_free(schedule, machine)) {
        to = from + distance;
        walk->extra[STORE_NOW] = 1;
    }
    walk->extra[REACHED] = to;
    if (to == walk->extra[TARGET])
        walk->extra[TARGET] = 0;
    return verso__make_action(VERSO_ACTION_ADVANCE, from, to);
}

/* Sets *action to an action that must precede the machine's next one. Returns false if there is none. */
static bool insert_action(verso_schedule *schedule, const verso__machine *machine, verso_action *action) {
    verso__walk *walk = &schedule->walk;
    if (walk->extra[ADJOINT_DUE]) {
        walk->extra[ADJOINT_DUE] = 0;
        *action = verso__make_action(VERSO_ACTION_STORE_ADJOINT, walk->end, 0);
    } else if (must_drop_recovery(schedule, machine)) {
        *action = verso__make_slot_action(VERSO_ACTION_DISCARD, walk->extra[RECOVERY] - 1, 0, recovery_slot(schedule));
        walk->extra[RECOVERY] = 0;
    } else if (walk->extra[STORE_NOW]) {
        *action = verso__make_slot_action(VERSO_ACTION_STORE, walk->extra[REACHED], 0, recovery_slot(schedule));
        walk->extra[RECOVERY] = walk->extra[REACHED] + 1;
        walk->extra[STORE_NOW] = 0;
    } else if (walk->extra[TARGET] != 0) {
        *action = continue_advance(schedule, machine);
    } else {
        return false;
    }
    return true;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    verso__machine machine = verso__revolve_machine(schedule->plan, binomial_slots(schedule));
    if (insert_action(schedule, &machine, action))
        return VERSO_STATUS_OK;
    verso_status status = verso__machine_next(schedule, &machine, action, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (action->kind == VERSO_ACTION_ADVANCE && has_recovery(schedule) && !walk->extra[SWEPT]) {
        walk->extra[REACHED] = action->from;
        walk->extra[TARGET] = action->to;
        *action = continue_advance(schedule, &machine);
    } else if (action->kind == VERSO_ACTION_REVERSE) {
        uint64_t distance = schedule->spec.adjoint_distance;
        walk->extra[SWEPT] = 1;
        walk->extra[ADJOINT_DUE] = distance > 0 && walk->end > 0 && (schedule->spec.steps - walk->end) % distance == 0;
    }
    return VERSO_STATUS_OK;
}

static bool valid(const verso_schedule *schedule) {
    const verso__walk *walk = &schedule->walk;
    const uint64_t *extra = walk->extra;
    verso__machine machine = verso__revolve_machine(schedule->plan, binomial_slots(schedule));
    bool flags = extra[ADJOINT_DUE] <= 1 && extra[STORE_NOW] <= 1 && extra[SWEPT] <= 1;
    bool advance = extra[TARGET] == 0 || (extra[REACHED] < extra[TARGET] && extra[TARGET] == walk->at);
    return walk->end <= schedule->spec.steps && extra[VERSO_MACHINE_FLOOR] == 0 && flags && advance &&
           extra[RECOVERY] <= schedule->spec.steps && verso__machine_valid(schedule, &machine);
}

/* ---- Cost ---- */

static verso_status cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    (void)error;
    const verso_schedule_spec *spec = &schedule->spec;
    cost->steps = spec->steps;
    if (spec->kind == VERSO_KIND_RESILIENT) {
        verso__clipped_cost(schedule->plan, spec->slots, cost);
    } else {
        verso__revolve_cost(cost, 1, cost->steps, binomial_slots(schedule));
        verso__recovery_cost(schedule->plan, binomial_slots(schedule), spec->slots, recovery_distance(schedule), cost);
        cost->repetition = cost->steps > 1 ? verso__repetition(cost->steps, binomial_slots(schedule)) : 0;
    }
    cost->adjoint_stores =
        spec->adjoint_distance > 0 && spec->steps > 0 ? (spec->steps - 1) / spec->adjoint_distance : 0;
    cost->free_distance = spec->slots > 0 ? verso__free_distance(spec->steps, spec->slots) : 0;
    cost->longest_recording = cost->steps > 0;
    verso__cost_total(schedule, cost);
    return VERSO_STATUS_OK;
}

const verso__kind verso__kind_resilient = {
    .plan = plan, .plan_free = verso__revolve_clear, .next = next, .cost = cost, .valid = valid};
const verso__kind verso__kind_continuous = {
    .plan = plan, .plan_free = verso__revolve_clear, .next = next, .cost = cost, .valid = valid};
const verso__kind verso__kind_single_recovery = {
    .plan = plan, .plan_free = verso__revolve_clear, .next = next, .cost = cost, .valid = valid};
