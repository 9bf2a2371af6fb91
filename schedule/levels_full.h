/* The table of full nodes, for schedules of several tiers that are too long to be tabulated step by step. See levels.h.
 */
#ifndef VERSO_SCHEDULE_LEVELS_FULL_H
#define VERSO_SCHEDULE_LEVELS_FULL_H

#include "schedule/levels.h"

enum { VERSO_PRICE_UNIT = 4096 }; /* prices and savings are in units of 1 / VERSO_PRICE_UNIT */

typedef struct verso_full_node {
    verso_wide saving; /* what its steps are worth at the price, less what it costs */
    uint64_t steps;
} verso_full_node;

verso_status verso_full_make(verso_levels *levels, uint64_t steps, verso_error *error);
void verso_full_clear(verso_levels *levels);

/* Nodes are named by the index t of their price; levels->series on, the price is one forward step higher. */
verso_full_node verso_full_stored(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
verso_full_node verso_full_fresh(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
/* Whether a fresh one is kept in this tier, rather than left to those below. */
bool verso_full_pays(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
/* Steps to the left of a stored one's first part: a full node one forward step cheaper; 0 when the first part is all.
 */
uint64_t verso_full_left(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t t);
/* What it costs, exactly. */
verso_wide verso_full_cost(const verso_levels *levels, const verso_full_node *full, uint64_t t);

#endif
