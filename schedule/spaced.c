/* See spaced.h. The rule: an interval's *level* is how often revolve repeats its dearest step, with the fraction to
 * which that level is filled. Revolve's own intervals are all at one level, so a good set has equal levels, that of the
 * open interval after its last state included: a carry is due while its result would be at a lower level than half the
 * open interval will reach, and the lowest comes first. Nothing is known of n, and nothing is left to repair when the
 * end comes: slots that the set does not use are those that revolve needs for the open interval. */
#include "schedule/spaced.h"

#include "base/wide.h"

/* Distances are kept short enough that a doubling of the way stores twice the slots, and 64 at least. */
static const uint64_t stores_per_doubling_min = 64;

static unsigned digit_of(uint64_t distance) {
    return (unsigned)(63 - __builtin_clzll(distance));
}

/* So many states are stored before the next choice, and let go at once: with many slots one choice serves for many
 * states. A power of two. */
static uint64_t batch(uint64_t slots) {
    return slots < 128 ? 1 : (uint64_t)1 << digit_of(slots / 64);
}

uint64_t verso_spaced_gap(uint64_t slots, uint64_t way) {
    uint64_t whole = (slots + batch(slots) - 1) / batch(slots) * batch(slots); /* gaps change between batches */
    uint64_t gaps = way / verso_max_u64(stores_per_doubling_min, 2 * whole);
    return gaps == 0 ? 1 : (uint64_t)1 << digit_of(gaps);
}

void verso_spaced_add(verso_spaced *set, uint64_t gap, uint64_t count) {
    set->digits[digit_of(gap)] += count;
    set->intervals += count;
    set->way += gap * count;
}

/* ---- Levels ---- */

typedef struct level {
    uint64_t repetition;
    uint64_t filled, width; /* steps beyond the level below, and room for them */
} level;

static level level_of(const verso_beta_table *table, uint64_t length, uint64_t slots, uint64_t *guess) {
    if (length <= 1)
        return (level){.width = 1};
    uint64_t r = *guess = verso_repetition_near(table, length, slots, *guess);
    uint64_t below = verso_beta_at(table, (int64_t)slots, (int64_t)r - 1);
    return (level){r, length - below, verso_beta_at(table, (int64_t)slots, (int64_t)r) - below};
}

static bool is_lower(level a, level b) {
    if (a.repetition != b.repetition)
        return a.repetition < b.repetition;
    return (verso_wide)a.filled * b.width < (verso_wide)b.filled * a.width;
}

/* ---- Choices ---- */

static verso_carry carry_of(const verso_spaced *set, unsigned digit, uint64_t states_before, uint64_t most) {
    uint64_t pairs = verso_min_u64(set->digits[digit] / 2, most);
    return (verso_carry){digit, pairs, states_before + 1, states_before + 2 * pairs - 1};
}

bool verso_spaced_choose(const verso_beta_table *table, const verso_spaced *set, uint64_t slots, verso_carry *carry) {
    uint64_t gap = verso_spaced_gap(slots, set->way);
    unsigned last = digit_of(gap);
    bool too_many = set->intervals >= slots;
    if (last > 0 && set->digits[last - 1] >= 2) { /* nothing as fine is stored any more: all of the digit is carried */
        *carry = carry_of(set, last - 1, set->intervals - set->digits[last - 1], UINT64_MAX);
        return true;
    }
    if (!too_many && set->way >> last & (batch(slots) - 1))
        return false;
    uint64_t guess = 1;
    bool found = false;
    level lowest = {.repetition = UINT64_MAX, .width = 1};
    if (!too_many)
        lowest = level_of(table, gap / 2, slots - set->intervals, &guess);
    uint64_t before = 0;
    for (unsigned k = digit_of(set->way); k + 1 > last; k--) {
        if (set->digits[k] >= 2) {
            level merged = level_of(table, (uint64_t)2 << k, slots - before, &guess);
            if (is_lower(merged, lowest)) {
                lowest = merged;
                *carry = carry_of(set, k, before, batch(slots));
                found = true;
            }
        }
        before += set->digits[k];
    }
    return found;
}

void verso_spaced_carry(verso_spaced *set, const verso_carry *carry) {
    set->digits[carry->digit] -= 2 * carry->pairs;
    set->digits[carry->digit + 1] += carry->pairs;
    set->intervals -= carry->pairs;
}

uint64_t verso_spaced_undisturbed(const verso_spaced *set, uint64_t slots) {
    uint64_t of_batch = batch(slots) - set->way / verso_spaced_gap(slots, set->way) % batch(slots);
    return verso_min_u64(of_batch, slots - set->intervals);
}

verso_spaced_sweep verso_spaced_swept(const verso_beta_table *table, uint64_t slots, uint64_t length, bool last_too) {
    verso_spaced_sweep sweep = {.stores = 1, .most_states = 1};
    uint64_t reach = last_too ? length : length - 1;
    for (;;) {
        verso_spaced *set = &sweep.set;
        uint64_t gap = verso_spaced_gap(slots, set->way);
        uint64_t count = verso_min_u64(verso_spaced_undisturbed(set, slots), (reach - set->way) / gap);
        if (count == 0)
            return sweep;
        uint64_t before = set->intervals;
        verso_spaced_add(set, gap, count);
        sweep.stores += count;
        verso_carry carry;
        sweep.most_states =
            verso_max_u64(sweep.most_states, before + count); /* the last one may make others go first */
        while (verso_spaced_choose(table, set, slots, &carry))
            verso_spaced_carry(set, &carry);
        sweep.most_states = verso_max_u64(sweep.most_states, set->intervals + 1);
    }
}
