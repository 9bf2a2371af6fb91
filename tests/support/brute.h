/* Exhaustive search: finds the true optimum of small reversals as a shortest path over all states (working position,
 * sets of stored positions, next step to reverse). It uses the rules below and no knowledge of schedules.
 *
 * The rules: the working state is x_0 at first. It may be advanced by a step, written to a tier, or replaced by a
 * stored state. Step i is reversed, the last step first, if the working state is x_i, which is consumed. Discarding
 * is free. Costs are exact; BRUTE_INF: impossible. */
#ifndef VERSO_TESTS_BRUTE_H
#define VERSO_TESTS_BRUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BRUTE_STEPS_MAX = 16,
    BRUTE_TIERS_MAX = 3,
};

#define BRUTE_INF UINT64_MAX
#define BRUTE_NO_WRITES UINT64_MAX /* as write_cost: the tier is read-only */
#define BRUTE_UNLIMITED UINT64_MAX /* as capacity or distance: no limit */

typedef struct brute_tier {
    uint64_t capacity, write_cost, read_cost;
    uint32_t held; /* states stored at the start: bit i is x_i */
} brute_tier;

typedef struct brute_problem {
    uint64_t steps; /* n <= BRUTE_STEPS_MAX */
    uint64_t forward_cost, backward_cost;
    uint64_t distance;    /* maximum distance of the working state from the nearest stored state before it */
    bool never_evicts;    /* a slot may be freed only if its state is no longer needed */
    bool working_is_lost; /* there is no working state at the start */
    uint64_t working;     /* index of the working state at the start, unless it is lost */
    size_t tier_count;
    brute_tier tiers[BRUTE_TIERS_MAX];
} brute_problem;

/* Returns the smallest makespan: cost of forward and backward steps, writes and reads. */
uint64_t brute_makespan(const brute_problem *problem);

/* ---- Ready-made problems ---- */

/* Fewest forward steps to reverse n steps with c free slots, never further than `distance` from a stored state. */
uint64_t brute_forward(uint64_t n, uint64_t c, uint64_t distance, bool may_evict);
/* Fewest forward steps after a first sweep that has stored `held` (bit i: x_i) in c slots; its working state is x_{n-1}
 * or lost. */
uint64_t brute_online(uint64_t n, uint64_t c, uint32_t held, bool working_is_lost);
/* Smallest makespan of paper 4 for a chain of length l (l + 1 steps) with c_m free slots and unlimited disk. */
uint64_t brute_disk(uint64_t l, uint64_t c_m, uint64_t w_d, uint64_t r_d, uint64_t u_f, uint64_t u_b);
/* The same if x_0 is already on disk and nothing else may be written there: Opt_1^(d). */
uint64_t brute_disk_no_writes(uint64_t l, uint64_t c_m, uint64_t r_d, uint64_t u_f, uint64_t u_b);

/* Fewest forward steps, including recorded ones, if a slot holds a state or the record of one step. */
uint64_t brute_mixed(uint64_t n, uint64_t slots);

#endif
