/* Revolve (Griewank and Walther): least forward steps, then least writes. A bounded distance makes it resilient: then
 * Theorem 4.2's step, the largest time-optimal one, is clipped, because a clipped large step never costs more than a
 * clipped small one (the golden tables show it).
 *
 * In a node, `a` is a guess at the repetition number: a part's is at most its parent's, so it is found in a step or
 * two; `b` says that the node is on the first sweep and subject to the distance. What is left of a capsule has shorter
 * advances than the one that led past it, and is reversed by revolve's own rule. */
#include "schedule/revolve.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"

bool verso_revolve_init(verso_revolve *rule, uint64_t steps, uint64_t slots, uint64_t distance) {
    rule->distance = distance;
    uint64_t repetition = slots > 0 && steps > 0 ? verso_repetition(steps, slots) : 0;
    return verso_beta_table_init(&rule->table, verso_min_u64(slots, steps), verso_add_u64(repetition, 1));
}

void verso_revolve_clear(void *rule) {
    verso_beta_table_clear(&((verso_revolve *)rule)->table);
}

static bool is_leaf(const void *plan, const verso_node *node) {
    (void)plan;
    return node->length <= 1;
}

uint64_t verso_revolve_advance(const verso_revolve *rule, verso_node *node) {
    uint64_t slots = verso_min_u64(node->slots, node->length);
    if (slots <= 1) /* none, only where words were read back that lie */
        return node->length - 1;
    node->a = verso_repetition_near(&rule->table, node->length, slots, node->a);
    if (node->b == 0)
        return verso_advance_revolve(&rule->table, node->length, slots, node->a);
    uint64_t advance = verso_min_u64(verso_advance_most(&rule->table, node->length, slots, node->a), rule->distance);
    /* The slots that remain must still reach the end at this distance. */
    uint64_t reach = verso_mul_u64(rule->distance, slots - 1);
    return node->length > reach ? verso_max_u64(advance, node->length - reach) : advance;
}

static uint64_t split(const void *plan, verso_node *node, verso_node *right) {
    uint64_t advance = verso_revolve_advance(plan, node);
    right->a = node->a;
    right->b = node->b;
    node->b = 0;
    return advance;
}

verso_machine verso_revolve_machine(const verso_revolve *rule, uint64_t slots) {
    return (verso_machine){.plan = rule, .leaf = is_leaf, .split = split, .slots = slots};
}

void verso_revolve_cost(verso_cost *cost, uint64_t count, uint64_t length, uint64_t slots) {
    if (count == 0 || length <= 1)
        return;
    cost->forward_steps += verso_mul_wide(count, verso_min_forward(length, slots));
    cost->writes[0] += verso_mul_wide(count, verso_min_writes(length, slots));
    cost->reads[0] += (verso_wide)count * (length - 1);
    cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], verso_min_u64(slots, length - 1));
}

/* ---- The kind: revolve, and its extreme with one slot ---- */

static uint64_t slots_of(const verso_schedule *schedule) {
    return schedule->spec.kind == VERSO_KIND_NONE ? 1 : schedule->spec.slots;
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    if (schedule->spec.kind == VERSO_KIND_REVOLVE && spec->steps > 1) {
        verso_status status = verso_need_slots(schedule, 1, error);
        if (status != VERSO_OK)
            return status;
    }
    verso_revolve *rule = schedule->plan = verso_alloc(1, sizeof *rule);
    if (rule == NULL || !verso_revolve_init(rule, spec->steps, slots_of(schedule), VERSO_UNKNOWN))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a schedule of %llu slots",
                          (unsigned long long)slots_of(schedule));
    verso_machine_start(schedule, 0, spec->steps, 0, 0);
    return VERSO_OK;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso_machine machine = verso_revolve_machine(schedule->plan, slots_of(schedule));
    return verso_machine_next(schedule, &machine, action, error);
}

static verso_status cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error) {
    (void)error;
    cost->steps = schedule->spec.steps;
    verso_revolve_cost(cost, 1, cost->steps, slots_of(schedule));
    cost->repetition = cost->steps > 1 ? verso_repetition(cost->steps, slots_of(schedule)) : 0;
    cost->longest_recording = cost->steps > 0;
    verso_cost_total(schedule, cost);
    cost->least_makespan = cost->makespan;
    return VERSO_OK;
}

static bool valid(const verso_schedule *schedule) {
    verso_machine machine = verso_revolve_machine(schedule->plan, slots_of(schedule));
    return schedule->walk.end <= schedule->spec.steps && schedule->walk.extra[VERSO_MACHINE_FLOOR] == 0 &&
           verso_machine_valid(schedule, &machine);
}

const verso_kind verso_kind_revolve = {
    .plan = plan, .plan_free = verso_revolve_clear, .next = next, .cost = cost, .valid = valid};
const verso_kind verso_kind_none = {
    .plan = plan, .plan_free = verso_revolve_clear, .next = next, .cost = cost, .valid = valid};
