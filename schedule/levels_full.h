/* Full nodes, for schedules of several tiers that are too long for exact tables. See levels.h.
 *
 * A price is named by its index t; the price with index t + series is `stride` forward steps higher. A full stored
 * node consists of parts, each of which is passed over once more than the one to its right. The first part has the
 * structure that is best at the node's own price, the next `stride` parts that of the next lower price of the
 * series, and so on. A price word consists of t and the number of further parts of that structure to the left of
 * the first: t * stride + number. What is left of a node's first part is the node with the next lower word. */
#ifndef VERSO_SCHEDULE_LEVELS_FULL_H
#define VERSO_SCHEDULE_LEVELS_FULL_H

#include "base/wide.h"
#include "schedule/levels.h"

enum { VERSO_PRICE_UNIT = 4096 }; /* prices and savings are in units of 1 / VERSO_PRICE_UNIT */

/* Chooses the prices and fills in the table. */
verso_status verso__full_make(verso__levels *levels, uint64_t steps, verso_error *error);
void verso__full_clear(verso__levels *levels);
/* Returns whether a free base can reverse all steps at a price at which no capsule of another tier is worth its
 * read. */
bool verso__full_base_alone(const verso__levels *levels, uint64_t steps);

/* Returns the price word of a node at its own price t. */
static inline uint64_t verso__full_word(const verso__levels *levels, uint64_t t) {
    return t * levels->full.stride;
}

/* Returns the word of what is left of a stored node's first part; 0: nothing. */
static inline uint64_t verso__full_word_left(const verso__levels *levels, uint64_t word) {
    uint64_t t = word / levels->full.stride;
    if (word % levels->full.stride > 0)
        return word - 1;
    return t > levels->full.series ? (t - levels->full.series + 1) * levels->full.stride - 1 : 0;
}

/* Return the full node at price t: stored in the tier, fresh, or the number of steps of these alone (faster). */
verso__full_node verso__full_stored(const verso__levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
verso__full_node verso__full_fresh(const verso__levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
uint64_t verso__full_steps(const verso__levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
uint64_t verso__full_fresh_steps(const verso__levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
/* Returns what lies below the tier at price t. */
verso__full_node verso__full_below(const verso__levels *levels, uint64_t tier, uint64_t t);
/* Returns whether it is better to keep a fresh node in this tier than to leave it to the lower ones. */
bool verso__full_pays(const verso__levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
/* Returns whether a part at this price is worth a read. */
bool verso__full_read_pays(const verso__levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
/* Returns whether the tier has many slots: its stored nodes are then computed from `further`, the parts left of the
 * first one, in the lower tiers alone. */
bool verso__full_has_many(const verso__levels *levels, uint64_t tier);
/* Returns the exact cost of a full node. */
verso__wide verso__full_cost(const verso__levels *levels, const verso__full_node *full, uint64_t t);

#endif
