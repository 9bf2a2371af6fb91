/* Exhaustive search: the true optimum of small reversals, by a shortest path over all states (working position, sets of
 * stored positions, next step to reverse). It knows the rules of the game and nothing of any schedule.
 *
 * The rules: the working state starts as x_0 and advances by a step, is written to a tier, or is replaced by a stored
 * state; step i is reversed, last step first, when the working state is x_i, and that state is then worth nothing.
 * Discarding is free. Costs are exact; BRUTE_INF: impossible. */
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
#define BRUTE_NO_WRITES UINT64_MAX /* a write cost: nothing is ever written there */
#define BRUTE_UNLIMITED UINT64_MAX /* a capacity, or a distance */

typedef struct brute_tier {
    uint64_t capacity, write_cost, read_cost;
    uint32_t held; /* at the start: bit i is x_i */
} brute_tier;

typedef struct brute_problem {
    uint64_t steps; /* n <= BRUTE_STEPS_MAX */
    uint64_t forward_cost, backward_cost;
    uint64_t distance;    /* the working state is never further than this ahead of the nearest stored state behind it */
    bool never_evicts;    /* a slot is freed only when its state is of no more use */
    bool working_is_lost; /* at the start there is no working state … */
    uint64_t working;     /* … and else it is this one */
    size_t tier_count;
    brute_tier tiers[BRUTE_TIERS_MAX];
} brute_problem;

/* Least makespan: forward and backward steps, writes and reads. */
uint64_t brute_makespan(const brute_problem *problem);

/* ---- Ready-made problems -------------------------------------------------------------------------------------------
 */

/* Forward steps of n steps on c free slots; no advance further than `distance` from a stored state. */
uint64_t brute_forward(uint64_t n, uint64_t c, uint64_t distance, bool may_evict);
/* Forward steps still to run after a first sweep that holds `held` (bit i: x_i) in c slots and stands at x_{n-1}, or
 * whose working state is of no use. */
uint64_t brute_online(uint64_t n, uint64_t c, uint32_t held, bool working_is_lost);
/* Paper 4 on a chain of length l (l + 1 steps): c_m free slots and unlimited disk. */
uint64_t brute_disk(uint64_t l, uint64_t c_m, uint64_t w_d, uint64_t r_d, uint64_t u_f, uint64_t u_b);
/* The same where x_0 lies on disk already and nothing else may be written there: Opt_1^(d). */
uint64_t brute_disk_no_writes(uint64_t l, uint64_t c_m, uint64_t r_d, uint64_t u_f, uint64_t u_b);

/* A slot holds a state or the record of one step. All forward steps, the recorded ones too. */
uint64_t brute_mixed(uint64_t n, uint64_t slots);

#endif
