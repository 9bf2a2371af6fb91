/* Revolve (Griewank and Walther): the fewest forward steps, then the fewest writes. With a bounded distance it is
 * resilient: the step of Theorem 4.2, the largest time-optimal one, is clipped, because a clipped large step never
 * costs more than a clipped small one (as the golden tables show).
 *
 * In a node, `a` is a guess of the repetition number: that of a part is at most its parent's, so it is found in one
 * or two steps. `b` says that the node is on the first sweep and subject to the distance. What is left of a capsule
 * has shorter advances than the one that led past it, and is reversed by revolve's own rule. */
#include "schedule/revolve.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/cost.h"

bool verso__revolve_init(verso__revolve *rule, uint64_t steps, uint64_t slots, uint64_t distance) {
    rule->distance = distance;
    uint64_t repetition = slots > 0 && steps > 0 ? verso__repetition(steps, slots) : 0;
    return verso__beta_table_init(&rule->table, verso__min_u64(slots, steps), verso__add_u64(repetition, 1));
}

void verso__revolve_clear(void *rule) {
    verso__beta_table_clear(&((verso__revolve *)rule)->table);
}

static bool is_leaf(const void *plan, const verso__node *node) {
    (void)plan;
    return node->length <= 1;
}

uint64_t verso__revolve_advance(const verso__revolve *rule, verso__node *node) {
    uint64_t slots = verso__min_u64(node->slots, node->length);
    if (slots <= 1) /* 0 slots are possible only with a forged cursor */
        return node->length - 1;
    node->a = verso__repetition_near(&rule->table, node->length, slots, node->a);
    if (node->b == 0)
        return verso__advance_revolve(&rule->table, node->length, slots, node->a);
    uint64_t advance = verso__min_u64(verso__advance_most(&rule->table, node->length, slots, node->a), rule->distance);
    /* the remaining slots must still reach the end at this distance */
    uint64_t reach = verso__mul_u64(rule->distance, slots - 1);
    return node->length > reach ? verso__max_u64(advance, node->length - reach) : advance;
}

static uint64_t split(const void *plan, verso__node *node, verso__node *right) {
    uint64_t advance = verso__revolve_advance(plan, node);
    right->a = node->a;
    right->b = node->b;
    node->b = 0;
    return advance;
}

verso__machine verso__revolve_machine(const verso__revolve *rule, uint64_t slots) {
    return (verso__machine){.plan = rule, .leaf = is_leaf, .split = split, .slots = slots};
}

void verso__revolve_cost(verso__cost *cost, uint64_t count, uint64_t length, uint64_t slots) {
    if (count == 0 || length <= 1)
        return;
    cost->forward_steps += verso__mul_wide(count, verso__min_forward(length, slots));
    cost->writes[0] += verso__mul_wide(count, verso__min_writes(length, slots));
    cost->reads[0] += (verso__wide)count * (length - 1);
    cost->peak_slots[0] = verso__max_u64(cost->peak_slots[0], verso__min_u64(slots, length - 1));
}

/* ---- The kind: revolve, and its extreme with one slot ---- */

static uint64_t slots_of(const verso_schedule *schedule) {
    return schedule->spec.kind == VERSO_KIND_NONE ? 1 : schedule->spec.slots;
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    if (schedule->spec.kind == VERSO_KIND_REVOLVE && spec->steps > 1) {
        verso_status status = verso__need_slots(schedule, 1, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    verso__revolve *rule = schedule->plan = verso__alloc(1, sizeof *rule);
    if (rule == NULL || !verso__revolve_init(rule, spec->steps, slots_of(schedule), VERSO_UNKNOWN))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule of %llu slots",
                           (unsigned long long)slots_of(schedule));
    verso__machine_start(schedule, 0, spec->steps, 0, 0);
    return VERSO_STATUS_OK;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__machine machine = verso__revolve_machine(schedule->plan, slots_of(schedule));
    return verso__machine_next(schedule, &machine, action, error);
}

static verso_status cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    (void)error;
    cost->steps = schedule->spec.steps;
    verso__revolve_cost(cost, 1, cost->steps, slots_of(schedule));
    cost->repetition = cost->steps > 1 ? verso__repetition(cost->steps, slots_of(schedule)) : 0;
    cost->longest_recording = cost->steps > 0;
    verso__cost_total(schedule, cost);
    cost->least_makespan = cost->makespan;
    return VERSO_STATUS_OK;
}

static bool valid(const verso_schedule *schedule) {
    verso__machine machine = verso__revolve_machine(schedule->plan, slots_of(schedule));
    return schedule->walk.end <= schedule->spec.steps && schedule->walk.extra[VERSO_MACHINE_FLOOR] == 0 &&
           verso__machine_valid(schedule, &machine);
}

const verso__kind verso__kind_revolve = {
    .plan = plan, .plan_free = verso__revolve_clear, .next = next, .cost = cost, .valid = valid};
const verso__kind verso__kind_none = {
    .plan = plan, .plan_free = verso__revolve_clear, .next = next, .cost = cost, .valid = valid};
