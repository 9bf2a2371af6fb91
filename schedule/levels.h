/* Multi-level plans: where to split an interval if several tiers have slots left. Private to the kind `levels`.
 *
 * Tiers are ordered by cost and numbered from 0; those without slots are left out. (If both costs rise from tier to
 * tier, there is one order, and it is optimal. If not, several orders are tried, and no optimum is claimed.) A
 * state is kept in a tier only while all lower tiers are free for what lies to its right. There are therefore two
 * types of node, of n steps each:
 *
 *   stored(k, m, n)   the start is kept in tier k, which has m slots left, including this one; lower tiers are free
 *   fresh(k, m, n)    the start is only the working state; tier k has m slots left (perhaps 0); lower tiers are free
 *
 * For nodes of few steps, exact tables give the least cost and the split. For longer ones there is a table of full
 * nodes: the best structure at a price t per step, which contains all steps that are run fewer than t times. A long
 * node is split so that one part is full, and the other part is split in turn. There is then one chain of nodes
 * that are not full, and the cost of everything else has a closed form. */
#ifndef VERSO_SCHEDULE_LEVELS_H
#define VERSO_SCHEDULE_LEVELS_H

#include <verso/schedule.h>

#include "base/wide.h"
#include "schedule/cost.h"

enum { VERSO_SERIES_MAX = 4 };

typedef struct verso__full_node {
    verso__wide saving; /* worth of its steps at the price, minus its cost */
    uint64_t steps;
} verso__full_node;

/* Table of full nodes, indexed by price (levels_full.h). */
typedef struct verso__full {
    uint64_t prices;    /* number of price indices */
    uint64_t series;    /* number of series of prices */
    uint64_t stride;    /* forward steps between two prices of a series; 1 unless that would be too many prices */
    uint64_t first;     /* the lowest price, in forward steps */
    uint64_t fitting;   /* index of the price at which the steps of the whole schedule fit */
    verso__wide *price; /* by index */
    /* By row and price. The first row of a tier is what lies below it. If the tier has few slots, stored(k, 1),
     * stored(k, 2), ... follow; else the parts left of the first one. */
    verso__full_node *rows;
    uint64_t rows_at[VERSO_TIERS_MAX]; /* first row of each tier */
    uint64_t room;                     /* number of prices for which memory is allocated */
} verso__full;

typedef struct verso__levels {
    size_t tiers;
    uint32_t id[VERSO_TIERS_MAX];     /* the user's number of the tier */
    verso_tier tier[VERSO_TIERS_MAX]; /* capacity is at most steps - 1 */
    uint64_t forward_cost;
    bool ordered;        /* no tier is cheaper to write or to read than the one before it */
    bool clipped;        /* a tier has more slots than the plan uses (levels_plan.c), though they might be useful */
    bool free_base;      /* tier 0 costs nothing: it is used by revolve and has no rows */
    bool single;         /* only one capsule is possible or pays: everything is recomputed from it */
    bool one_of_several; /* this is one of several plans that are compared, so it must be quick to make */
    bool exact_all;      /* the exact tables cover all steps */
    bool hopeless;       /* the plan is known to cost at least the limit of verso__levels_make: it is not to be used */
    verso__wide total;   /* cost of forward steps, writes and reads if several orders were compared, else 0 */

    uint64_t table_steps;                  /* the exact tables cover nodes of up to this many steps */
    uint64_t table_slots[VERSO_TIERS_MAX]; /* for so few steps, more slots than this are useless */
    uint64_t rows_at[VERSO_TIERS_MAX];     /* the row of (tier, 1 slot) */
    uint64_t rows;                         /* number of rows of the exact tables */
    verso__wide *exact;                    /* cost of stored(k, m, n), row by row */
    uint32_t *exact_split;                 /* steps of the left part, in the same order */

    verso__full full;
} verso__levels;

/* A node. `price` is a price word of levels_full.h; 0: not full. For a stored node, slots >= 1. */
typedef struct verso__level_node {
    uint64_t tier, slots, length, price;
} verso__level_node;

typedef struct verso__level_split {
    uint64_t left;           /* steps of the left part; 0: give the start up */
    uint64_t left_price;     /* price word of the left part if it is full, else 0 */
    verso__level_node right; /* a fresh node: in the same tier with one slot less, or in the lower tiers */
} verso__level_split;

/* Returns VERSO_STATUS_INVALID or VERSO_STATUS_IMPOSSIBLE for tiers with which no plan is possible. */
verso_status verso__levels_check(const verso_schedule_spec *spec, verso_error *error);
/* Makes a plan for tiers that have been checked. The caller needs it only if its forward steps, writes and reads cost
 * less than `limit` (VERSO_WIDE_MAX: at any cost); other plans may be marked `hopeless`. */
verso_status verso__levels_make(const verso_schedule_spec *spec, verso__wide limit, verso__levels *levels,
                                verso_error *error);
void verso__levels_clear(void *levels);

/* Returns the fresh node of the whole schedule. */
verso__level_node verso__levels_root(const verso__levels *levels, uint64_t steps);

/* Chooses the tier in which to keep the start of a fresh node of more than one step, and sets *stored to the stored
 * node of that tier. Returns false if only a free base can be used: then the node is left to revolve. */
bool verso__levels_place(const verso__levels *levels, const verso__level_node *fresh, verso__level_node *stored);
verso__level_split verso__levels_split(const verso__levels *levels, const verso__level_node *stored);

/* Returns whether a stored node that is not full is split off one step at a time, down to the exact tables: reading
 * its tier costs more than all tabulated prices, and there is no lower tier. */
bool verso__levels_goes_singly(const verso__levels *levels, const verso__level_node *stored);

/* From a stored node that is not full, follows the splits whose left part is full and whose right part is kept in
 * the same tier. Sets *last to the last such node that is known, and returns the index of the price at which all of
 * them lack the same number of steps; 0 if none is known, so that each node has to be split. */
uint64_t verso__levels_run(const verso__levels *levels, const verso__level_node *stored, verso__level_node *last);

/* Returns a lower bound of the cost (forward steps, writes and reads) of all schedules that use the tiers in this
 * order; if they are `ordered`, of all schedules. */
verso__wide verso__levels_bound(const verso__levels *levels, uint64_t steps);

/* Returns a simpler lower bound for all schedules, usually weaker: all slots are free to use, and every step but
 * the last takes one read. */
verso__wide verso__levels_least(const verso__levels *levels, uint64_t steps);
/* Returns the cost of n steps without any tier that costs something. */
verso__wide verso__levels_base_cost(const verso__levels *levels, uint64_t n);

/* Returns whether a stored node has no slot but its own: everything is recomputed from it. */
static inline bool verso__levels_is_last(const verso__levels *levels, const verso__level_node *stored) {
    return levels->single || (stored->tier == 0 && stored->slots == 1 && !levels->free_base);
}

/* The row of the exact tables. */
static inline uint64_t verso__levels_row(const verso__levels *levels, uint64_t tier, uint64_t slots) {
    return levels->rows_at[tier] + verso__min_u64(slots, levels->table_slots[tier]) - 1;
}

/* Adds the cost of the schedule to *cost without walking it; not the makespan. */
verso_status verso__levels_cost(const verso__levels *levels, uint64_t steps, verso__cost *cost, verso_error *error);

#endif
