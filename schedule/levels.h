/* Multi-level plans: where to split an interval when several tiers have slots left. Private to the kind `levels`.
 *
 * Tiers are put in order of cost and numbered from 0; those without slots are left out. (If both costs rise
 * from tier to tier there is one order, and it is optimal; if not, several are tried, and no optimum is claimed.) A
 * state is kept in a tier only while all lower tiers are free for what lies to its right. Two kinds of node, then (n
 * steps each):
 *
 *   stored(k, m, n)   the start is kept in tier k, which has m slots left, this one included; lower tiers are all free
 *   fresh(k, m, n)    the start is the working state only; tier k has m slots left (perhaps none), lower tiers are all
 * free
 *
 * What a node of few steps costs at best, and where it is split, is tabulated exactly. For longer ones there is a
 * second table, of full nodes: the best structure for the price t a step, which holds all steps that are run fewer than
 * t times. Long nodes are split so that one part is full; the other is split in turn. So there is one chain of nodes
 * that are not full, and the cost of everything else is known in closed form. */
#ifndef VERSO_SCHEDULE_LEVELS_H
#define VERSO_SCHEDULE_LEVELS_H

#include <verso/schedule.h>

#include "base/wide.h"

enum { VERSO_SERIES_MAX = 4 };

typedef struct verso_full_node {
    verso_wide saving; /* what its steps are worth at the price, less what it costs */
    uint64_t steps;
} verso_full_node;

/* Full nodes by the index of their price (levels_full.h). */
typedef struct verso_full {
    uint64_t prices;  /* indices */
    uint64_t series;  /* prices come in so many series … */
    uint64_t stride;  /* … of so many forward steps from one to the next; 1 unless that would be too many prices */
    uint64_t first;   /* the lowest price, in forward steps */
    uint64_t fitting; /* the index of the price at which the steps of the whole schedule fit */
    verso_wide *price;
    /* By row and price. A tier's first row is what lies below it; then, if it has few slots, stored(k, 1), stored(k, 2)
     * …, else the parts left of the first one. */
    verso_full_node *rows;
    uint64_t rows_at[VERSO_TIERS_MAX];
    uint64_t room; /* prices that there is memory for */
} verso_full;

typedef struct verso_levels {
    size_t tiers;
    uint32_t id[VERSO_TIERS_MAX];     /* the user's number of the tier */
    verso_tier tier[VERSO_TIERS_MAX]; /* capacity at most steps - 1 */
    uint64_t forward_cost;
    bool ordered;        /* no tier is cheaper than the one before it, neither to write nor to read */
    bool clipped;        /* a tier has more slots than are used (levels_plan.c) and than might be useful */
    bool free_base;      /* tier 0 costs nothing: it is revolved, and has no rows */
    bool single;         /* one capsule is all there is, or all that pays: everything is recomputed from it */
    bool one_of_several; /* plans: a quick one will do */
    bool exact_all;      /* the exact tables reach all steps */

    uint64_t table_steps;                  /* exact tables reach up to so many steps */
    uint64_t table_slots[VERSO_TIERS_MAX]; /* more slots than this are as good, for so few steps */
    uint64_t rows_at[VERSO_TIERS_MAX];     /* the row of (tier, 1 slot) */
    uint64_t rows;
    verso_wide *exact; /* cost of stored(k, m, n), row by row */
    uint32_t *exact_split;

    verso_full full;
} verso_levels;

/* A node; price: a word of levels_full.h; 0: not full. For a stored one, slots >= 1. */
typedef struct verso_level_node {
    uint64_t tier, slots, length, price;
} verso_level_node;

typedef struct verso_level_split {
    uint64_t left;          /* steps of the left part; 0: the start is better given up */
    uint64_t left_price;    /* of a full part, else 0 */
    verso_level_node right; /* fresh: in the same tier with one slot less, or in the lower tiers */
} verso_level_split;

/* Refuses tiers that cannot be planned with. */
verso_status verso_levels_check(const verso_schedule_spec *spec, verso_error *error);
/* For tiers that have been checked. */
verso_status verso_levels_make(const verso_schedule_spec *spec, verso_levels *levels, verso_error *error);
void verso_levels_clear(void *levels);

verso_level_node verso_levels_root(const verso_levels *levels, uint64_t steps);

/* For a fresh node of more than one step: the tier in which to keep its start, as that tier's stored node. False when
 * only a free base is left to use: then it is revolved. */
bool verso_levels_place(const verso_levels *levels, const verso_level_node *fresh, verso_level_node *stored);
verso_level_split verso_levels_split(const verso_levels *levels, const verso_level_node *stored);

/* Whether a stored node that is not full is split step by step, down to what the exact tables reach: its tier's reads
 * are dearer than all tabulated prices, and there is no lower tier. */
bool verso_levels_goes_singly(const verso_levels *levels, const verso_level_node *stored);

/* From a stored node that is not full, as long as all goes on in the same way: the left part is full, and the right one
 * kept in the same tier. The last node of which that is known, and the index of the price at which all of them miss as
 * many steps; 0: it is not known of any, and each has to be split. */
uint64_t verso_levels_run(const verso_levels *levels, const verso_level_node *stored, verso_level_node *last);

/* No schedule that uses the tiers in this order costs less (forward steps, writes and reads); if they are `ordered`,
 * none at all does. */
verso_wide verso_levels_bound(const verso_levels *levels, uint64_t steps);

/* No schedule at all costs less: all slots free to keep and read, and a read for each step but the last. Simpler than
 * the bound above, and mostly further from the optimum. */
verso_wide verso_levels_least(const verso_levels *levels, uint64_t steps);
/* What n steps cost without any tier that costs something. */
verso_wide verso_levels_base_cost(const verso_levels *levels, uint64_t n);

/* Whether a stored node has no other slot left than its own: everything is recomputed from it. */
static inline bool verso_levels_is_last(const verso_levels *levels, const verso_level_node *stored) {
    return levels->single || (stored->tier == 0 && stored->slots == 1 && !levels->free_base);
}

/* Of the exact tables. */
static inline uint64_t verso_levels_row(const verso_levels *levels, uint64_t tier, uint64_t slots) {
    return levels->rows_at[tier] + verso_min_u64(slots, levels->table_slots[tier]) - 1;
}

verso_status verso_levels_cost(const verso_levels *levels, uint64_t steps, verso_cost *cost, verso_error *error);

#endif
