/* Paper 5's kinds on one tier. All are binomial; they differ in how a breakdown is provided for:
 *
 *   resilient        no advance is longer than the distance (revolve.c clips Theorem 4.2's step)
 *   continuous       revolve on c slots; in the first sweep the slot that is needed last is overwritten at a distance
 *   single-recovery  revolve on c - 1 slots; in the first sweep the last slot is overwritten at a distance
 *
 * and all make the adjoint durable after every `adjoint_distance` reversed steps, but not at the very end: then the
 * result is there. The machine's actions are passed on; longer advances of the first sweep are cut to make room for the
 * recovery capsule. */
#include "schedule/resilient.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"

enum words {
    ADJOINT_DUE = VERSO_MACHINE_WORDS, /* the adjoint of x_end is to be stored before anything else */
    TARGET,                            /* where the advance in hand ends, or 0 */
    REACHED,                           /* how far it has come */
    RECOVERY,                          /* position of the recovery capsule + 1, or 0 */
    STORE_NOW,                         /* x_reached is to be stored as the recovery capsule */
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
    if (spec->steps <= 1 || verso_mul_u64(spec->distance, spec->slots) >= spec->steps)
        return VERSO_OK;
    return verso_fail(
        error, VERSO_IMPOSSIBLE,
        "%llu slots at a distance of %llu reach %llu steps, not %llu: the distance must be at least %llu, or "
        "the slots at least %llu",
        (unsigned long long)spec->slots, (unsigned long long)spec->distance,
        (unsigned long long)(spec->slots * spec->distance), (unsigned long long)spec->steps,
        (unsigned long long)((spec->steps + spec->slots - 1) / spec->slots),
        (unsigned long long)(spec->distance == 0 ? spec->steps : (spec->steps + spec->distance - 1) / spec->distance));
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    verso_status status = VERSO_OK;
    if (spec->steps > 1)
        status = verso_need_slots(schedule, spec->kind == VERSO_KIND_SINGLE_RECOVERY ? 2 : 1, error);
    if (status == VERSO_OK && spec->kind == VERSO_KIND_RESILIENT)
        status = check_distance(schedule, error);
    if (status != VERSO_OK)
        return status;
    verso_revolve *rule = schedule->plan = verso_alloc(1, sizeof *rule);
    uint64_t distance = spec->kind == VERSO_KIND_RESILIENT ? spec->distance : VERSO_UNKNOWN;
    if (rule == NULL || !verso_revolve_init(rule, spec->steps, binomial_slots(schedule), distance))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a schedule of %llu slots",
                          (unsigned long long)spec->slots);
    verso_machine_start(schedule, 0, spec->steps, 0, spec->kind == VERSO_KIND_RESILIENT);
    return VERSO_OK;
}

/* ---- Actions ---- */

static uint64_t recovery_slot(const verso_schedule *schedule) {
    return schedule->spec.slots - 1;
}

/* Whether the slot of the recovery capsule is not, and will not in this advance be, wanted by the machine. */
static bool recovery_slot_free(const verso_schedule *schedule, const verso_machine *machine) {
    return schedule->spec.kind == VERSO_KIND_SINGLE_RECOVERY ||
           verso_machine_depth(schedule, machine) < schedule->spec.slots;
}

static bool must_drop_recovery(const verso_schedule *schedule, const verso_machine *machine) {
    const verso_walk *walk = &schedule->walk;
    if (walk->extra[RECOVERY] == 0)
        return false;
    if (walk->extra[SWEPT] || walk->extra[STORE_NOW])
        return true;
    bool last_slot = verso_machine_depth(schedule, machine) + 1 == schedule->spec.slots;
    return schedule->spec.kind == VERSO_KIND_CONTINUOUS && last_slot && walk->phase == VERSO_MACHINE_FRESH &&
           walk->extra[TARGET] == 0 && walk->end - walk->at > 1;
}

static verso_action go_on_advancing(verso_schedule *schedule, const verso_machine *machine) {
    verso_walk *walk = &schedule->walk;
    uint64_t from = walk->extra[REACHED];
    uint64_t to = walk->extra[TARGET];
    uint64_t distance = recovery_distance(schedule);
    if (to - from > distance && recovery_slot_free(schedule, machine)) {
        to = from + distance;
        walk->extra[STORE_NOW] = 1;
    }
    walk->extra[REACHED] = to;
    if (to == walk->extra[TARGET])
        walk->extra[TARGET] = 0;
    return verso_make_action(VERSO_ADVANCE, from, to);
}

/* An action that the provision for breakdowns puts before the machine's next one. */
static bool put_before(verso_schedule *schedule, const verso_machine *machine, verso_action *action) {
    verso_walk *walk = &schedule->walk;
    if (walk->extra[ADJOINT_DUE]) {
        walk->extra[ADJOINT_DUE] = 0;
        *action = verso_make_action(VERSO_STORE_ADJOINT, walk->end, 0);
    } else if (must_drop_recovery(schedule, machine)) {
        *action = verso_make_slot_action(VERSO_DISCARD, walk->extra[RECOVERY] - 1, 0, recovery_slot(schedule));
        walk->extra[RECOVERY] = 0;
    } else if (walk->extra[STORE_NOW]) {
        *action = verso_make_slot_action(VERSO_STORE, walk->extra[REACHED], 0, recovery_slot(schedule));
        walk->extra[RECOVERY] = walk->extra[REACHED] + 1;
        walk->extra[STORE_NOW] = 0;
    } else if (walk->extra[TARGET] != 0) {
        *action = go_on_advancing(schedule, machine);
    } else {
        return false;
    }
    return true;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso_walk *walk = &schedule->walk;
    verso_machine machine = verso_revolve_machine(schedule->plan, binomial_slots(schedule));
    if (put_before(schedule, &machine, action))
        return VERSO_OK;
    verso_status status = verso_machine_next(schedule, &machine, action, error);
    if (status != VERSO_OK)
        return status;
    if (action->kind == VERSO_ADVANCE && has_recovery(schedule) && !walk->extra[SWEPT]) {
        walk->extra[REACHED] = action->from;
        walk->extra[TARGET] = action->to;
        *action = go_on_advancing(schedule, &machine);
    } else if (action->kind == VERSO_REVERSE) {
        uint64_t distance = schedule->spec.adjoint_distance;
        walk->extra[SWEPT] = 1;
        walk->extra[ADJOINT_DUE] = distance > 0 && walk->end > 0 && (schedule->spec.steps - walk->end) % distance == 0;
    }
    return VERSO_OK;
}

static bool valid(const verso_schedule *schedule) {
    const verso_walk *walk = &schedule->walk;
    const uint64_t *extra = walk->extra;
    verso_machine machine = verso_revolve_machine(schedule->plan, binomial_slots(schedule));
    bool flags = extra[ADJOINT_DUE] <= 1 && extra[STORE_NOW] <= 1 && extra[SWEPT] <= 1;
    bool advance = extra[TARGET] == 0 || (extra[REACHED] < extra[TARGET] && extra[TARGET] == walk->at);
    return walk->end <= schedule->spec.steps && extra[VERSO_MACHINE_FLOOR] == 0 && flags && advance &&
           extra[RECOVERY] <= schedule->spec.steps && verso_machine_valid(schedule, &machine);
}

/* ---- Cost ---- */

static verso_status cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error) {
    (void)error;
    const verso_schedule_spec *spec = &schedule->spec;
    cost->steps = spec->steps;
    if (spec->kind == VERSO_KIND_RESILIENT) {
        verso_clipped_cost(schedule->plan, spec->slots, cost);
    } else {
        verso_revolve_cost(cost, 1, cost->steps, binomial_slots(schedule));
        verso_recovery_cost(schedule->plan, binomial_slots(schedule), spec->slots, recovery_distance(schedule), cost);
        cost->repetition = cost->steps > 1 ? verso_repetition(cost->steps, binomial_slots(schedule)) : 0;
    }
    cost->adjoint_stores =
        spec->adjoint_distance > 0 && spec->steps > 0 ? (spec->steps - 1) / spec->adjoint_distance : 0;
    cost->free_distance = spec->slots > 0 ? verso_free_distance(spec->steps, spec->slots) : 0;
    cost->longest_recording = cost->steps > 0;
    verso_cost_total(schedule, cost);
    return VERSO_OK;
}

const verso_kind verso_kind_resilient = {
    .plan = plan, .plan_free = verso_revolve_clear, .next = next, .cost = cost, .valid = valid};
const verso_kind verso_kind_continuous = {
    .plan = plan, .plan_free = verso_revolve_clear, .next = next, .cost = cost, .valid = valid};
const verso_kind verso_kind_single_recovery = {
    .plan = plan, .plan_free = verso_revolve_clear, .next = next, .cost = cost, .valid = valid};
