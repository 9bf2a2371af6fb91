/* The cost of an online schedule. There is no formula for what the first sweep stores, so its decisions are
 * repeated, for at most one period: some hundred or thousand for any number of steps. The cost of reversing from
 * the resulting set and from the disk has a closed form. */
#include "base/search.h"
#include "base/status.h"
#include "schedule/cost.h"
#include "schedule/online.h"
#include "schedule/spaced.h"

/* ---- The first sweep ---- */

/* The states that the first sweep over `length` steps of one tier leaves. */
typedef struct swept {
    uint64_t count;
    verso__spaced set;                                          /* with many slots */
    uint64_t held[VERSO_ONLINE_PLANNED_MAX * VERSO_HELD_WORDS]; /* the states one by one, unless they are too many */
} swept;

static void sweep_spaced(const verso_schedule *schedule, uint64_t length, bool visited, verso__cost *cost,
                         swept *found) {
    const verso__online *plan = schedule->plan;
    verso__spaced_sweep sweep = {0};
    if (length > 0 || visited)
        sweep = verso__spaced_swept(&plan->placing, schedule->spec.slots, length, visited);
    found->set = sweep.set;
    found->count = sweep.stores > 0 ? sweep.set.intervals + 1 : 0;
    cost->writes[0] += sweep.stores;
    cost->peak_slots[0] = verso__max_u64(cost->peak_slots[0], sweep.most_states);
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

static void sweep_few(const verso_schedule *schedule, uint64_t length, bool visited, verso__cost *cost, swept *found) {
    const verso__online *plan = schedule->plan;
    uint64_t slots = schedule->spec.slots;
    verso__held_guesses guesses = {0};
    for (uint64_t at = 0; at < length + visited; at += verso__held_gap(found->count, slots, at)) {
        uint64_t victim = found->count; /* the entry to replace; `count` while slots are free */
        if (found->count == slots) {
            victim =
                verso__held_victim(&plan->placing, &guesses, found->held, slots, at, verso__held_gap(slots, slots, at));
            if (victim == slots)
                continue;
            found->count--;
        }
        for (uint64_t w = victim * VERSO_HELD_WORDS; w < found->count * VERSO_HELD_WORDS; w++)
            found->held[w] = found->held[w + VERSO_HELD_WORDS];
        found->held[found->count++ * VERSO_HELD_WORDS + VERSO_HELD_POSITION] = at;
        cost->writes[0]++;
        cost->peak_slots[0] = verso__max_u64(cost->peak_slots[0], found->count);
    }
}

static swept sweep(const verso_schedule *schedule, uint64_t length, bool visited, verso__cost *cost) {
    swept found = {0};
    if (schedule->spec.slots <= VERSO_HELD_FEW)
        sweep_few(schedule, length, visited, cost, &found);
    else
        sweep_spaced(schedule, length, visited, cost, &found);
    return found;
}

/* ---- The reversal ---- */

/* Returns how often revolve repeats the most repeated of the steps from `from` on in an interval. */
static uint64_t repeated_from(const verso__revolve *rule, uint64_t length, uint64_t slots, uint64_t from) {
    uint64_t most = 0;
    uint64_t passes = 0;
    verso__node node = {.length = length, .slots = slots};
    while (node.length > 1) {
        uint64_t left = verso__revolve_advance(rule, &node);
        uint64_t right = node.length - left;
        if (from >= left) {
            node.length = right;
            node.slots--;
            from -= left;
            continue;
        }
        uint64_t in_right = right > 1 ? verso__repetition(right, verso__min_u64(node.slots - 1, right)) : 0;
        most = verso__max_u64(most, passes + in_right);
        node.length = left;
        passes++;
    }
    return verso__max_u64(most, passes);
}

/* Adds the cost of the interval from `entry`, the depth-th that is kept, to `right`. `moved_over` is the length of
 * its end over which the next entry was moved. */
static void add_interval(const verso__online *plan, const verso_schedule_spec *spec, uint64_t depth,
                         const uint64_t *entry, uint64_t right, uint64_t moved_over, verso__cost *cost) {
    uint64_t from = entry[VERSO_HELD_POSITION];
    uint64_t start = entry[VERSO_HELD_TARGET] > 0 ? entry[VERSO_HELD_TARGET] : from;
    uint64_t length = right - start;
    uint64_t slots = spec->slots - depth;
    verso__cost inside = {0};
    verso__revolve_cost(&inside, 1, length, slots);
    cost->forward_steps += (start - from) + inside.forward_steps;
    if (length > 1)
        cost->writes[0] += inside.writes[0] - (start == from); /* a start that did not move is already stored */
    cost->reads[0] += length;
    cost->peak_slots[0] = verso__max_u64(cost->peak_slots[0], depth + inside.peak_slots[0]);
    uint64_t repeated = length > 1 ? verso__repetition(length, verso__min_u64(slots, length)) : 0;
    cost->repetition = verso__max_u64(cost->repetition, 1 + repeated);
    if (moved_over > 0)
        cost->repetition = verso__max_u64(cost->repetition,
                                          2 + repeated_from(&plan->sequence.rule, length, slots, length - moved_over));
}

static void add_held(const verso__online *plan, const verso_schedule_spec *spec, const uint64_t *held, uint64_t count,
                     uint64_t end, verso__cost *cost) {
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
    uint64_t high; /* one more than the maximum number of slots, which ends each search */
} equals;

static bool is_enough(const void *context, uint64_t slots) {
    const equals *these = context;
    return slots >= these->high || verso__beta((int64_t)slots, (int64_t)these->repetition) >= these->length;
}

/* Returns whether, of the two terms of verso__min_writes, the one that does not depend on the length is the larger. */
static bool is_flat(const void *context, uint64_t slots) {
    const equals *these = context;
    int64_t r = (int64_t)these->repetition;
    return slots >= these->high ||
           verso__add_u64(verso__beta((int64_t)slots - 1, r - 1), verso__beta((int64_t)slots, r - 1)) >= these->length;
}

/* The sum of C(j + r, r) over j = low ... high - 1. */
static verso__wide beta_sum(uint64_t low, uint64_t high, int64_t r) {
    return verso__beta_wide((int64_t)high - 1, r + 1) - verso__beta_wide((int64_t)low - 1, r + 1);
}

/* Adds one interval on each of low ... high - 1 slots, all with the same repetition number: sums of revolve's
 * formulas. */
static void add_alike(const equals *these, uint64_t low, verso__cost *cost) {
    int64_t r = (int64_t)these->repetition;
    uint64_t high = these->high;
    verso__wide steps = (verso__wide)(high - low) * these->length;
    uint64_t flat = verso__least_above(low - 1, is_flat, these);
    cost->forward_steps += steps * these->repetition - beta_sum(low + 1, high + 1, r - 1);
    cost->writes[0] += (verso__wide)(flat - low) * these->length - beta_sum(low, flat, r - 1) +
                       beta_sum(flat - 1, high - 1, r - 1) - (high - low); /* the starts are already stored */
    cost->repetition = verso__max_u64(cost->repetition, 1 + these->repetition);
}

/* Adds `count` equal intervals, the first at this depth. */
static void add_equals(uint64_t length, uint64_t count, uint64_t depth, uint64_t slots, verso__cost *cost) {
    cost->reads[0] += (verso__wide)count * length;
    cost->repetition = verso__max_u64(cost->repetition, 1);
    if (length <= 1)
        return;
    cost->peak_slots[0] = verso__max_u64(cost->peak_slots[0], verso__min_u64(slots, depth + count - 1 + length - 1));
    uint64_t least = slots - depth - count + 1;
    for (uint64_t high = slots - depth + 1; high > least;) {
        equals these = {length, verso__repetition(length, high - 1), high};
        uint64_t low = verso__least_above(least - 1, is_enough, &these);
        add_alike(&these, low, cost);
        high = low;
    }
}

/* Adds a set that is reversed as it is. Its last state counts only if it is before the end. */
static void add_spaced(const verso_schedule *schedule, const verso__spaced *set, uint64_t end, verso__cost *cost) {
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

/* ---- The whole schedule ---- */

/* Adds the last period, or everything if there is no disk: swept over, then reversed from memory. */
static verso_status add_residual(const verso_schedule *schedule, uint64_t length, bool visited, verso__cost *cost,
                                 verso_error *error) {
    if (schedule->spec.slots == 0) /* there is at most one step, which needs no stored state */
        return VERSO_STATUS_OK;
    swept found = sweep(schedule, length, visited, cost);
    verso__wide forward;
    if (found.count > VERSO_ONLINE_PLANNED_MAX)
        add_spaced(schedule, &found.set, length, cost);
    else if (verso__held_plan(found.held, found.count, schedule->spec.slots, length, &forward))
        add_held(schedule->plan, &schedule->spec, found.held, found.count, length, cost);
    else
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to plan the reversal");
    return VERSO_STATUS_OK;
}

static void add_periods(const verso_schedule *schedule, uint64_t count, verso__cost *cost) {
    const verso__online *plan = schedule->plan;
    verso__cost one = {0};
    sweep(schedule, plan->best.steps, false, &one);
    cost->writes[0] += count * one.writes[0];
    cost->peak_slots[0] = verso__max_u64(cost->peak_slots[0], one.peak_slots[0]);
    verso__period_cost(&plan->sequence, plan->sequence.groups, count, cost);
    uint64_t levels =
        plan->best.pieces > 1 ? plan->best.level : 1 + verso__repetition(plan->best.steps, schedule->spec.slots);
    cost->repetition = verso__max_u64(cost->repetition, levels);
}

verso_status verso__online_cost(const verso_schedule *schedule, uint64_t stopped, bool visited, verso__cost *cost,
                                verso_error *error) {
    const verso__online *plan = schedule->plan;
    uint64_t period = plan->best.steps;
    uint64_t on_disk = period > 0 ? stopped / period + (visited || stopped % period != 0) : 0;
    uint64_t whole = on_disk > 0 ? on_disk - 1 : 0;
    cost->forward_steps = stopped;
    cost->repetition = stopped > 0;
    cost->longest_recording = cost->steps > 0;
    cost->period = period;
    cost->writes[1] = cost->peak_slots[1] = on_disk;
    verso_status status = VERSO_STATUS_OK;
    if (whole > 0)
        add_periods(schedule, whole, cost);
    if (stopped > 0 || visited)
        status = add_residual(schedule, stopped - whole * period, visited, cost, error);
    verso__cost_total(schedule, cost);
    return status;
}
