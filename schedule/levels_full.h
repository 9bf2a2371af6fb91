/* Full nodes, for schedules of several tiers that are too long to be tabulated step by step. See levels.h.
 *
 * A price is named by its index t; `series` on, it is `stride` forward steps higher. A full stored node has parts, each
 * passed over once more than the one to its right. The first has the structure that is best at the node's own price,
 * the next `stride` parts that of the price before, and so on. A price word is (t, how many more parts of that
 * structure are to the left of the first), and what is left of a node's first part is the node of the word before. */
#ifndef VERSO_SCHEDULE_LEVELS_FULL_H
#define VERSO_SCHEDULE_LEVELS_FULL_H

#include "schedule/levels.h"

enum { VERSO_PRICE_UNIT = 4096 }; /* prices and savings are in units of 1 / VERSO_PRICE_UNIT */

verso_status verso_full_make(verso_levels *levels, uint64_t steps, verso_error *error);
void verso_full_clear(verso_levels *levels);
/* Whether all steps are revolved on a free base at a price at which no capsule of another tier is worth its read. */
bool verso_full_base_alone(const verso_levels *levels, uint64_t steps);

/* Of a node at its own price. */
static inline uint64_t verso_full_word(const verso_levels *levels, uint64_t t) {
    return t * levels->full.stride;
}

/* The word of what is left of a stored node's first part; 0: none. */
static inline uint64_t verso_full_word_left(const verso_levels *levels, uint64_t word) {
    uint64_t t = word / levels->full.stride;
    if (word % levels->full.stride > 0)
        return word - 1;
    return t > levels->full.series ? (t - levels->full.series + 1) * levels->full.stride - 1 : 0;
}

verso_full_node verso_full_stored(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
verso_full_node verso_full_fresh(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
uint64_t verso_full_steps(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t); /* of stored */
uint64_t verso_full_fresh_steps(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
verso_full_node verso_full_below(const verso_levels *levels, uint64_t tier, uint64_t t);
/* Whether a fresh one is kept in this tier, rather than left to those below. */
bool verso_full_pays(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
/* Whether a part of this price is worth being read for. */
bool verso_full_read_pays(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
/* Whether stored nodes are computed from `further`: the parts left of the first one, in the lower tiers alone. */
bool verso_full_has_many(const verso_levels *levels, uint64_t tier);
/* What it costs, exactly. */
verso_wide verso_full_cost(const verso_levels *levels, const verso_full_node *full, uint64_t t);

#endif
