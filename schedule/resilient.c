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
#include "schedule/revolve.h"

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

/* Along the first sweep the distance binds; all that is left of a capsule is reversed by revolve's own rule, with
 * shorter advances than the one that led past it. */
static void add_clipped_spine(const verso_schedule *schedule, verso_cost *cost) {
    verso_node node = {.length = cost->steps, .slots = schedule->spec.slots, .b = 1};
    for (uint64_t stored = 1; node.length > 1; stored++, node.slots--) {
        if (node.slots >= node.length - 1) { /* all the rest is stored, step by step */
            uint64_t rest = node.length - 1;
            cost->forward_steps += rest;
            cost->writes[0] += rest;
            cost->reads[0] += rest;
            cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], stored - 1 + rest);
            cost->repetition = verso_max_u64(cost->repetition, 1);
            return;
        }
        verso_node whole = node;
        uint64_t advance = verso_revolve_advance(schedule->plan, &node);
        verso_cost left = {0};
        verso_revolve_cost(&left, 1, advance, whole.slots);
        cost->forward_steps += advance + left.forward_steps;
        cost->writes[0] += advance > 1 ? left.writes[0] : 1; /* the capsule of the sweep is the left part's first */
        cost->reads[0] += advance;
        cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], stored - 1 + verso_max_u64(left.peak_slots[0], 1));
        cost->repetition = verso_max_u64(cost->repetition, 1 + verso_repetition(advance, whole.slots));
        node = (verso_node){.length = whole.length - advance, .slots = whole.slots, .a = node.a, .b = 1};
    }
}

/* The recovery capsules that the first sweep writes besides the binomial ones. */
static void add_recovery(const verso_schedule *schedule, verso_cost *cost) {
    verso_node node = {.length = cost->steps, .slots = binomial_slots(schedule)};
    uint64_t recoveries = 0;
    for (uint64_t stored = 1; node.length > 1 && stored < schedule->spec.slots; stored++, node.slots--) {
        if (node.slots >= node.length - 1) { /* step by step: nothing lies between */
            if (recoveries > 0)
                cost->peak_slots[0] =
                    verso_max_u64(cost->peak_slots[0], verso_min_u64(schedule->spec.slots, stored + node.length - 1));
            break;
        }
        uint64_t advance = verso_revolve_advance(schedule->plan, &node);
        recoveries += (advance - 1) / recovery_distance(schedule);
        if (recoveries > 0)
            cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], stored + 1);
        node.length -= advance;
    }
    cost->writes[0] += recoveries;
}

/* Whether a time-optimal first sweep can keep every advance within the distance. The largest optimal advance that fits
 * leaves the least behind; once none needs clipping, none will (Theorem 4.2: they decrease). */
static bool distance_is_free(const verso_beta_table *table, uint64_t length, uint64_t slots, uint64_t distance) {
    uint64_t r = verso_repetition(length, verso_min_u64(slots, length));
    for (uint64_t free = slots; length > 1; free--) {
        uint64_t c = verso_min_u64(free, length);
        r = verso_repetition_near(table, length, c, r);
        uint64_t most = verso_advance_most(table, length, c, r);
        if (most <= distance)
            return true;
        if (verso_advance_least(table, length, c, r) > distance)
            return false;
        length -= distance;
    }
    return true;
}

uint64_t verso_free_distance(uint64_t steps, uint64_t slots) {
    if (steps <= 1)
        return 0;
    verso_beta_table table;
    uint64_t r = verso_repetition(steps, verso_min_u64(slots, steps));
    if (!verso_beta_table_init(&table, verso_min_u64(slots, steps), verso_add_u64(r, 1)))
        table = (verso_beta_table){.slots = -1, .repetitions = -1};
    uint64_t low = (steps - 1) / slots / 2; /* too small */
    uint64_t high = verso_advance_most(&table, steps, verso_min_u64(slots, steps), r);
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (distance_is_free(&table, steps, slots, middle))
            high = middle;
        else
            low = middle;
    }
    verso_beta_table_clear(&table);
    /* The last advance may be one step longer than the distance times the slots allow; no schedule is made that tight.
     */
    return verso_max_u64(high, (steps + slots - 1) / slots);
}

static verso_status cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error) {
    (void)error;
    const verso_schedule_spec *spec = &schedule->spec;
    cost->steps = spec->steps;
    if (spec->kind == VERSO_KIND_RESILIENT) {
        add_clipped_spine(schedule, cost);
    } else {
        verso_revolve_cost(cost, 1, cost->steps, binomial_slots(schedule));
        add_recovery(schedule, cost);
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
