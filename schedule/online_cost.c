/* The cost of an online schedule. What the first sweep stores follows from no formula, so its decisions are taken
 * again, for one period at most: some hundred or thousand, however many steps there are. What is reversed from the set
 * it leaves, and from the disk, is then known in closed form. */
#include "base/status.h"
#include "schedule/held.h"
#include "schedule/online.h"

/* Walks the first sweep over `length` steps of one tier, up to its last state, or until that state has been visited.
 * The schedule is left there, holding its set. */
static verso_status sweep(const verso_schedule_spec *spec, uint64_t length, bool visited, verso_cost *cost,
                          verso_schedule **swept, verso_error *error) {
    verso_schedule_spec one_tier = *spec;
    one_tier.with_disk = false;
    one_tier.steps = length + 1 + visited;
    verso_status status = verso_schedule_new(&one_tier, swept, error);
    uint64_t held = 0;
    while (status == VERSO_OK) {
        verso_action action;
        status = verso_schedule_next(*swept, &action, error);
        if (status != VERSO_OK || action.kind == VERSO_REVERSE ||
            (visited && action.kind == VERSO_ADVANCE && action.from == length))
            return status;
        held += action.kind == VERSO_STORE;
        held -= action.kind == VERSO_DISCARD;
        cost->writes[0] += action.kind == VERSO_STORE;
        cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], held);
    }
    return status;
}

/* How often revolve repeats the most repeated of the steps from `from` on, in an interval. */
static uint64_t repeated_from(const verso_revolve *rule, uint64_t length, uint64_t slots, uint64_t from) {
    uint64_t most = 0;
    uint64_t passes = 0;
    verso_node node = {.length = length, .slots = slots};
    while (node.length > 1) {
        uint64_t left = verso_revolve_advance(rule, &node);
        uint64_t right = node.length - left;
        if (from >= left) {
            node.length = right;
            node.slots--;
            from -= left;
            continue;
        }
        uint64_t in_right = right > 1 ? verso_repetition(right, verso_min_u64(node.slots - 1, right)) : 0;
        most = verso_max_u64(most, passes + in_right);
        node.length = left;
        passes++;
    }
    return verso_max_u64(most, passes);
}

/* The interval from entry `i`, the depth-th that is kept, to `right`; `moved_over`: how much of its end the next one
 * moved over. */
static void add_interval(const verso_online *plan, const verso_schedule_spec *spec, uint64_t depth,
                         const uint64_t *entry, uint64_t right, uint64_t moved_over, verso_cost *cost) {
    uint64_t from = entry[VERSO_HELD_POSITION];
    uint64_t start = entry[VERSO_HELD_TARGET] > 0 ? entry[VERSO_HELD_TARGET] : from;
    uint64_t length = right - start;
    uint64_t slots = spec->slots - depth;
    verso_cost inside = {0};
    verso_revolve_cost(&inside, 1, length, slots);
    cost->forward_steps += (start - from) + inside.forward_steps;
    if (length > 1)
        cost->writes[0] += inside.writes[0] - (start == from); /* a start that did not move is stored already */
    cost->reads[0] += length;
    cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], depth + inside.peak_slots[0]);
    uint64_t repeated = length > 1 ? verso_repetition(length, verso_min_u64(slots, length)) : 0;
    cost->repetition = verso_max_u64(cost->repetition, 1 + repeated);
    if (moved_over > 0)
        cost->repetition = verso_max_u64(cost->repetition,
                                         2 + repeated_from(&plan->sequence.rule, length, slots, length - moved_over));
}

static void add_held(const verso_online *plan, const verso_schedule_spec *spec, const uint64_t *held, uint64_t count,
                     uint64_t end, verso_cost *cost) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        kept += held[i * VERSO_HELD_WORDS + VERSO_HELD_TARGET] != VERSO_HELD_EVICT;
    uint64_t right = end;
    uint64_t moved_over = 0;
    for (uint64_t i = count; i-- > 0;) {
        const uint64_t *entry = held + i * VERSO_HELD_WORDS;
        if (entry[VERSO_HELD_TARGET] == VERSO_HELD_EVICT)
            continue;
        add_interval(plan, spec, --kept, entry, right, moved_over, cost);
        uint64_t target = entry[VERSO_HELD_TARGET];
        moved_over = target > 0 ? target - entry[VERSO_HELD_POSITION] : 0;
        right = target > 0 ? target : entry[VERSO_HELD_POSITION];
    }
}

/* The last period, or everything: swept over, then reversed from memory. */
static verso_status add_residual(const verso_schedule *schedule, uint64_t length, bool visited, verso_cost *cost,
                                 verso_error *error) {
    verso_schedule *swept = NULL;
    verso_wide forward;
    verso_status status = sweep(&schedule->spec, length, visited, cost, &swept, error);
    uint64_t count = status == VERSO_OK ? swept->walk.used / VERSO_HELD_WORDS : 0;
    if (count > 0) {
        if (verso_held_plan(swept->stack, count, schedule->spec.slots, length, &forward))
            add_held(schedule->plan, &schedule->spec, swept->stack, count, length, cost);
        else
            status = verso_fail(error, VERSO_NO_MEMORY, "no memory to plan the reversal");
    }
    verso_schedule_free(swept);
    return status;
}

static verso_status add_periods(const verso_schedule *schedule, uint64_t count, verso_cost *cost, verso_error *error) {
    const verso_online *plan = schedule->plan;
    verso_cost one = {0};
    verso_schedule *swept = NULL;
    verso_status status = sweep(&schedule->spec, plan->best.steps, false, &one, &swept, error);
    verso_schedule_free(swept);
    cost->writes[0] += count * one.writes[0];
    cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], one.peak_slots[0]);
    verso_period_cost(&plan->sequence, plan->sequence.groups, count, cost);
    uint64_t levels =
        plan->best.pieces > 1 ? plan->best.level : 1 + verso_repetition(plan->best.steps, schedule->spec.slots);
    cost->repetition = verso_max_u64(cost->repetition, levels);
    return status;
}

verso_status verso_online_cost(const verso_schedule *schedule, uint64_t stopped, bool visited, verso_cost *cost,
                               verso_error *error) {
    const verso_online *plan = schedule->plan;
    uint64_t period = plan->best.steps;
    uint64_t on_disk = period > 0 ? stopped / period + (visited || stopped % period != 0) : 0;
    uint64_t whole = on_disk > 0 ? on_disk - 1 : 0;
    cost->forward_steps = stopped;
    cost->repetition = stopped > 0;
    cost->longest_recording = cost->steps > 0;
    cost->period = period;
    cost->writes[1] = cost->peak_slots[1] = on_disk;
    verso_status status = VERSO_OK;
    if (whole > 0)
        status = add_periods(schedule, whole, cost, error);
    if (status == VERSO_OK && (stopped > 0 || visited))
        status = add_residual(schedule, stopped - whole * period, visited, cost, error);
    verso_cost_total(schedule, cost);
    return status;
}
