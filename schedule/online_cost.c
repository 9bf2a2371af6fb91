/* The cost of an online schedule. What the first sweep stores follows from no formula, so its decisions are taken
 * again, for one period at most: some hundred or thousand, however many steps there are. What is reversed from the set
 * it leaves, and from the disk, is then known in closed form. */
#include "base/search.h"
#include "base/status.h"
#include "schedule/online.h"
#include "schedule/spaced.h"

/* ---- The first sweep ---- */

/* What the first sweep over `length` steps of one tier leaves, when it ends at the last state, or when that state has
 * been visited. */
typedef struct swept {
    uint64_t count;
    verso_spaced set;                                           /* with many slots, … */
    uint64_t held[VERSO_ONLINE_PLANNED_MAX * VERSO_HELD_WORDS]; /* … and, unless they are too many, one by one */
} swept;

static void sweep_spaced(const verso_schedule *schedule, uint64_t length, bool visited, verso_cost *cost,
                         swept *found) {
    const verso_online *plan = schedule->plan;
    verso_spaced_sweep sweep = {0};
    if (length > 0 || visited)
        sweep = verso_spaced_swept(&plan->placing, schedule->spec.slots, length, visited);
    found->set = sweep.set;
    found->count = sweep.stores > 0 ? sweep.set.intervals + 1 : 0;
    cost->writes[0] += sweep.stores;
    cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], sweep.most_states);
    if (found->count > VERSO_ONLINE_PLANNED_MAX)
        return;
    uint64_t *entry = found->held;
    uint64_t at = 0;
    for (unsigned k = VERSO_SPACED_DIGITS; k-- > 0;)
        for (uint64_t i = 0; i < sweep.set.digits[k]; i++) {
            at += (uint64_t)1 << k;
            entry += VERSO_HELD_WORDS;
            entry[VERSO_HELD_POSITION] = at;
        }
}

static void sweep_few(const verso_schedule *schedule, uint64_t length, bool visited, verso_cost *cost, swept *found) {
    const verso_online *plan = schedule->plan;
    uint64_t slots = schedule->spec.slots;
    verso_held_guesses guesses = {0};
    for (uint64_t at = 0; at < length + visited; at += verso_held_gap(found->count, slots, at)) {
        uint64_t victim = found->count; /* the place that is closed up for x_at: none, while slots are free */
        if (found->count == slots) {
            victim =
                verso_held_victim(&plan->placing, &guesses, found->held, slots, at, verso_held_gap(slots, slots, at));
            if (victim == slots)
                continue;
            found->count--;
        }
        for (uint64_t w = victim * VERSO_HELD_WORDS; w < found->count * VERSO_HELD_WORDS; w++)
            found->held[w] = found->held[w + VERSO_HELD_WORDS];
        found->held[found->count++ * VERSO_HELD_WORDS + VERSO_HELD_POSITION] = at;
        cost->writes[0]++;
        cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], found->count);
    }
}

static swept sweep(const verso_schedule *schedule, uint64_t length, bool visited, verso_cost *cost) {
    swept found = {0};
    if (schedule->spec.slots <= VERSO_HELD_FEW)
        sweep_few(schedule, length, visited, cost, &found);
    else
        sweep_spaced(schedule, length, visited, cost, &found);
    return found;
}

/* ---- The reversal ---- */

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

/* ---- Many intervals of equal length, on ever fewer slots ---- */

typedef struct equals {
    uint64_t length, repetition;
    uint64_t high; /* one more than the most slots that any of them has: no search goes further */
} equals;

static bool reaches(const void *context, uint64_t slots) {
    const equals *these = context;
    return slots >= these->high || verso_beta((int64_t)slots, (int64_t)these->repetition) >= these->length;
}

/* Of the two numbers whose maximum verso_min_writes is, the one that does not depend on the length is the larger. */
static bool is_flat(const void *context, uint64_t slots) {
    const equals *these = context;
    int64_t r = (int64_t)these->repetition;
    return slots >= these->high ||
           verso_add_u64(verso_beta((int64_t)slots - 1, r - 1), verso_beta((int64_t)slots, r - 1)) >= these->length;
}

/* C(j + r, r) summed over j = low … high - 1. */
static verso_wide beta_sum(uint64_t low, uint64_t high, int64_t r) {
    return verso_beta_wide((int64_t)high - 1, r + 1) - verso_beta_wide((int64_t)low - 1, r + 1);
}

/* One interval on each of low … high - 1 slots, all of the same repetition number: revolve's formulas, summed. */
static void add_alike(const equals *these, uint64_t low, verso_cost *cost) {
    int64_t r = (int64_t)these->repetition;
    uint64_t high = these->high;
    verso_wide steps = (verso_wide)(high - low) * these->length;
    uint64_t flat = verso_least_above(low - 1, is_flat, these);
    cost->forward_steps += steps * these->repetition - beta_sum(low + 1, high + 1, r - 1);
    cost->writes[0] += (verso_wide)(flat - low) * these->length - beta_sum(low, flat, r - 1) +
                       beta_sum(flat - 1, high - 1, r - 1) - (high - low); /* the starts are stored already */
    cost->repetition = verso_max_u64(cost->repetition, 1 + these->repetition);
}

/* `count` intervals, the first one at this depth. */
static void add_equals(uint64_t length, uint64_t count, uint64_t depth, uint64_t slots, verso_cost *cost) {
    cost->reads[0] += (verso_wide)count * length;
    cost->repetition = verso_max_u64(cost->repetition, 1);
    if (length <= 1)
        return;
    cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], verso_min_u64(slots, depth + count - 1 + length - 1));
    uint64_t least = slots - depth - count + 1;
    for (uint64_t high = slots - depth + 1; high > least;) {
        equals these = {length, verso_repetition(length, high - 1), high};
        uint64_t low = verso_least_above(least - 1, reaches, &these);
        add_alike(&these, low, cost);
        high = low;
    }
}

/* A set that is reversed as it is; its last state counts only if it lies before the end. */
static void add_spaced(const verso_schedule *schedule, const verso_spaced *set, uint64_t end, verso_cost *cost) {
    uint64_t depth = 0;
    for (unsigned k = VERSO_SPACED_DIGITS; k-- > 0;)
        if (set->digits[k] > 0) {
            add_equals((uint64_t)1 << k, set->digits[k], depth, schedule->spec.slots, cost);
            depth += set->digits[k];
        }
    const uint64_t last[VERSO_HELD_WORDS] = {[VERSO_HELD_POSITION] = set->way};
    if (set->way < end)
        add_interval(schedule->plan, &schedule->spec, depth, last, end, 0, cost);
}

/* ---- All of it ---- */

/* The last period, or everything: swept over, then reversed from memory. */
static verso_status add_residual(const verso_schedule *schedule, uint64_t length, bool visited, verso_cost *cost,
                                 verso_error *error) {
    if (schedule->spec.slots == 0) /* of at most one step: there is nowhere to store a state, and no need to */
        return VERSO_OK;
    swept found = sweep(schedule, length, visited, cost);
    verso_wide forward;
    if (found.count > VERSO_ONLINE_PLANNED_MAX)
        add_spaced(schedule, &found.set, length, cost);
    else if (verso_held_plan(found.held, found.count, schedule->spec.slots, length, &forward))
        add_held(schedule->plan, &schedule->spec, found.held, found.count, length, cost);
    else
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to plan the reversal");
    return VERSO_OK;
}

static void add_periods(const verso_schedule *schedule, uint64_t count, verso_cost *cost) {
    const verso_online *plan = schedule->plan;
    verso_cost one = {0};
    sweep(schedule, plan->best.steps, false, &one);
    cost->writes[0] += count * one.writes[0];
    cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], one.peak_slots[0]);
    verso_period_cost(&plan->sequence, plan->sequence.groups, count, cost);
    uint64_t levels =
        plan->best.pieces > 1 ? plan->best.level : 1 + verso_repetition(plan->best.steps, schedule->spec.slots);
    cost->repetition = verso_max_u64(cost->repetition, levels);
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
        add_periods(schedule, whole, cost);
    if (stopped > 0 || visited)
        status = add_residual(schedule, stopped - whole * period, visited, cost, error);
    verso_cost_total(schedule, cost);
    return status;
}
