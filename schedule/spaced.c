/* See spaced.h. The rule: the *level* of an interval is how often revolve repeats its most repeated step, with the
 * fraction to which that level is filled. All intervals of revolve have the same level, so a good set has equal
 * levels, including that of the open interval after its last state. A carry is due while its result would have a
 * lower level than half the open interval will reach, and the lowest comes first. The rule does not depend on n and
 * leaves nothing to repair when the end comes: the slots that the set does not use are those that revolve needs for
 * the open interval. */
#include "schedule/spaced.h"

#include "base/wide.h"

/* Distances are so short that at least twice as many states as slots, and at least 64, are stored each time that
 * the way doubles. */
static const uint64_t stores_per_doubling_min = 64;

static unsigned digit_of(uint64_t distance) {
    return (unsigned)(63 - __builtin_clzll(distance));
}

/* Returns the number of states that are stored before the next choice, a power of two: with many slots one choice
 * serves for many states. */
static uint64_t batch(uint64_t slots) {
    return slots < 128 ? 1 : (uint64_t)1 << digit_of(slots / 64);
}

/* Returns the binary logarithm of the gap. It changes only between batches. */
static unsigned gap_digit(uint64_t slots, uint64_t way) {
    uint64_t whole = (slots + batch(slots) - 1) & ~(batch(slots) - 1);
    uint64_t gap = way / verso__max_u64(stores_per_doubling_min, 2 * whole);
    return gap > 1 ? digit_of(gap) : 0;
}

uint64_t verso__spaced_gap(uint64_t slots, uint64_t way) {
    return (uint64_t)1 << gap_digit(slots, way);
}

/* Returns how many states of the current batch are stored. */
static uint64_t stored_of_batch(uint64_t slots, uint64_t way, unsigned gap) {
    return way >> gap & (batch(slots) - 1);
}

void verso__spaced_add(verso__spaced *set, uint64_t gap, uint64_t count) {
    set->digits[digit_of(gap)] += count;
    set->intervals += count;
    set->way += gap * count;
}

/* ---- Levels ---- */

typedef struct level {
    uint64_t repetition;
    uint64_t filled, width; /* steps beyond the level below, and the maximum number of these */
} level;

#define ANY_REPETITION UINT64_MAX /* higher than all levels */

static level level_of(const verso__beta_table *table, uint64_t length, uint64_t slots, uint64_t guess) {
    if (length <= 1)
        return (level){.width = 1};
    uint64_t r = verso__repetition_near(table, length, slots, guess);
    uint64_t below = verso__beta_at(table, (int64_t)slots, (int64_t)r - 1);
    return (level){r, length - below, verso__beta_at(table, (int64_t)slots, (int64_t)r) - below};
}

/* Sets *lowest to the level of the interval if that is lower. Returns true if it is. */
static bool find_lower(const verso__beta_table *table, uint64_t length, uint64_t slots, level *lowest) {
    bool any = lowest->repetition == ANY_REPETITION;
    if (!any && verso__beta_at(table, (int64_t)slots, (int64_t)lowest->repetition) < length)
        return false;
    level found = level_of(table, length, slots, any ? 1 : lowest->repetition);
    if (found.repetition == lowest->repetition &&
        (verso__wide)found.filled * lowest->width >= (verso__wide)lowest->filled * found.width)
        return false;
    *lowest = found;
    return true;
}

/* ---- Choices ---- */

static verso__carry carry_of(const verso__spaced *set, unsigned digit, uint64_t states_before, uint64_t most) {
    uint64_t pairs = verso__min_u64(set->digits[digit] / 2, most);
    return (verso__carry){digit, pairs, states_before + 2 * pairs - 1};
}

bool verso__spaced_due(uint64_t slots, uint64_t intervals, uint64_t way) {
    unsigned gap = gap_digit(slots, way);
    return intervals >= slots || (gap > 0 && stored_of_batch(slots, way, gap) == 0);
}

bool verso__spaced_choose(const verso__beta_table *table, verso__spaced *set, uint64_t slots, verso__carry *carry) {
    unsigned gap = gap_digit(slots, set->way);
    if (gap > 0 && set->digits[gap - 1] >= 2) { /* no more states are stored at this distance: carry the whole digit */
        *carry = carry_of(set, gap - 1, set->intervals - set->digits[gap - 1], UINT64_MAX);
        return true;
    }
    level lowest = {.repetition = ANY_REPETITION};
    if (set->intervals < slots)
        lowest = level_of(table, ((uint64_t)1 << gap) / 2, slots - set->intervals, set->guess);
    bool found = false;
    uint64_t before = 0;
    for (unsigned k = digit_of(set->way); k + 1 > gap; k--) {
        if (set->digits[k] >= 2 && find_lower(table, (uint64_t)2 << k, slots - before, &lowest)) {
            *carry = carry_of(set, k, before, batch(slots));
            found = true;
        }
        before += set->digits[k];
    }
    set->guess = lowest.repetition;
    return found;
}

void verso__spaced_carry(verso__spaced *set, const verso__carry *carry) {
    set->digits[carry->digit] -= 2 * carry->pairs;
    set->digits[carry->digit + 1] += carry->pairs;
    set->intervals -= carry->pairs;
}

verso__spaced_sweep verso__spaced_swept(const verso__beta_table *table, uint64_t slots, uint64_t length,
                                        bool last_too) {
    verso__spaced_sweep sweep = {.stores = 1, .most_states = 1};
    verso__spaced *set = &sweep.set;
    uint64_t reach = last_too ? length : length - 1;
    for (;;) {
        unsigned gap = gap_digit(slots, set->way);
        uint64_t count = batch(slots) - stored_of_batch(slots, set->way, gap); /* until the next choice may be due */
        count = verso__min_u64(count, verso__min_u64(slots - set->intervals, (reach - set->way) >> gap));
        if (count == 0)
            return sweep;
        uint64_t before = set->intervals;
        verso__spaced_add(set, (uint64_t)1 << gap, count);
        sweep.stores += count;
        /* states may have to be given up before the last one is stored */
        sweep.most_states = verso__max_u64(sweep.most_states, before + count);
        verso__carry carry;
        while (verso__spaced_due(slots, set->intervals, set->way) && verso__spaced_choose(table, set, slots, &carry))
            verso__spaced_carry(set, &carry);
        sweep.most_states = verso__max_u64(sweep.most_states, set->intervals + 1);
    }
}
