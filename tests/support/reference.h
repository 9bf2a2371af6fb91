/* Reference values: the costs of schedules, computed directly from the definitions by dynamic programs and plain
 * recursion, without the library's closed forms. Slow, with exact integers throughout.
 *
 * n is the number of steps to reverse, l = n - 1 is the chain length of paper 4, c is the number of slots (x_0 takes
 * one). REFERENCE_INF: impossible. The caller frees tables with their _free function. Aborts if memory is exhausted. */
#ifndef VERSO_TESTS_REFERENCE_H
#define VERSO_TESTS_REFERENCE_H

#include "base/wide.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/schedule.h>

#define REFERENCE_INF UINT64_MAX
#define REFERENCE_WIDE_INF (~(verso__wide)0)

/* a + b; impossible if one of them is. */
static inline uint64_t reference_add(uint64_t a, uint64_t b) {
    return a == REFERENCE_INF || b == REFERENCE_INF ? REFERENCE_INF : a + b;
}

/* ---- One tier (reference_revolve.c) ---- */

/* C(c + r, c), exact, saturating at UINT64_MAX. */
uint64_t reference_beta(uint64_t c, uint64_t r);
/* The smallest r with beta(c, r) >= n. */
uint64_t reference_repetition(uint64_t n, uint64_t c);

/* Fewest forward steps: M(1, c) = 0, M(n, 0) is impossible, and
 * M(n, c) = min_j j + M(n - j, c - 1) + M(j, c) for 1 <= j <= limit. */
typedef struct reference_forward {
    uint64_t n_max, c_max, limit;
    uint64_t *cost; /* (c_max + 1) rows of n_max + 1 */
} reference_forward;

/* `limit` is the longest advance that is allowed; VERSO_UNKNOWN: no limit. Takes O(c n^2) time. */
reference_forward reference_forward_new(uint64_t n_max, uint64_t c_max, uint64_t limit);
void reference_forward_free(reference_forward *table);
uint64_t reference_forward_at(const reference_forward *table, uint64_t n, uint64_t c); /* n = 0 costs 0 */
/* Sets *lo and *hi to the smallest and largest optimal first advance j. Returns true if all j between them are optimal,
 * too. Requires n >= 2, c >= 1 and a possible schedule. */
bool reference_forward_advances(const reference_forward *table, uint64_t n, uint64_t c, uint64_t *lo, uint64_t *hi);

/* The same without a limit, for n up to 10^12. M is convex in n, so its increments are the sorted merge D_c = {1} +
 * (1 + D_c) + D_{c-1}, which is represented by how often each value occurs. (c = 1: the sum of 1 … n - 1.) */
verso__wide reference_forward_large(uint64_t n, uint64_t c);
void reference_advances_large(uint64_t n, uint64_t c, uint64_t *lo, uint64_t *hi);

/* The advance of Algorithm 799 for n steps and c slots, as golden/README.md describes it. Requires n >= 2, c >= 1. */
uint64_t reference_advance_revolve(uint64_t n, uint64_t c);
/* Theorem 4.2 of paper 5 as printed (c = 1: n - 1). */
uint64_t reference_advance_theorem42(uint64_t n, uint64_t c);

typedef uint64_t reference_rule(uint64_t n, uint64_t c);

typedef struct reference_walk {
    uint64_t forward;       /* forward steps of the whole schedule; REFERENCE_INF if the limit makes it impossible */
    uint64_t writes, reads; /* of the whole schedule */
    uint64_t peak_slots;    /* maximum number of slots in use */
    uint64_t longest_gap;   /* longest advance of the first sweep, including the last one */
    size_t first_count;     /* number of states stored in the first sweep */
    uint64_t *first;        /* their indices, from malloc; the caller frees them */
} reference_walk;

/* Plays the schedule of a rule: store, advance by min(rule, limit), reverse the rest with one slot less, restore,
 * reverse the first part. For n up to some thousands. */
reference_walk reference_walk_rule(uint64_t n, uint64_t c, reference_rule *rule, uint64_t limit);
/* Only longest_gap, for any n. */
uint64_t reference_longest_gap(uint64_t n, uint64_t c, reference_rule *rule);

/* The smallest d such that some time-optimal schedule has all gaps of its first sweep <= d. By the definition, in O(c
 * n^2) time. */
uint64_t reference_free_distance(uint64_t n, uint64_t c);
/* The same for large n; uses that the possible numbers of steps left after each store form an interval. */
uint64_t reference_free_distance_large(uint64_t n, uint64_t c);

/* Forward steps, including recorded ones, if a slot holds a state or the record of one step: m(1, s) = 1, m(n, 0) is
 * impossible, m(n, s) = min(1 + m(n - 1, s - 1), min_i i + m(i, s) + m(n - i, s - 1)).
 * Returns a table of (s_max + 1) rows of n_max + 1, from malloc. */
uint64_t *reference_mixed_new(uint64_t n_max, uint64_t s_max);

/* Forward steps of an online reversal that never evicts: x_{n-1} is the working state, and the states `stored`
 * (ascending, beginning with 0) are in c slots. */
uint64_t reference_keep_all(const reference_forward *table, uint64_t n, uint64_t c, const uint64_t *stored,
                            size_t count);

/* ---- Memory and unlimited disk (reference_disk.c), paper 4 ---- */

typedef struct reference_platform {
    uint64_t c_m, w_d, r_d, u_f, u_b;
} reference_platform;

/* Theorem 1, with j <= l so that c_m = 0 is allowed. Each array has l_max + 1 entries. */
typedef struct reference_disk {
    reference_platform platform;
    uint64_t l_max;
    uint64_t *opt0, *opt1d, *opt_inf;
    uint64_t *opt_inf_one_read; /* each disk capsule is read at most once */
} reference_disk;

reference_disk reference_disk_new(const reference_platform *platform, uint64_t l_max);
void reference_disk_free(reference_disk *table);
/* Exec(m, …, m; res) of Theorem 5 with `count` periods m; res = l - count * m >= 0. */
uint64_t reference_exec(const reference_disk *table, uint64_t l, uint64_t m, uint64_t count);
/* DISK-A-REVOLVE with period m on a chain of l >= 1. */
uint64_t reference_disk_a_revolve(const reference_disk *table, uint64_t l, uint64_t m);

/* m_max of Lemma 8; REFERENCE_INF if it does not apply (c_m = 0 or u_f = 0). */
uint64_t reference_m_max(const reference_platform *platform);

typedef struct reference_minimisers {
    uint64_t smallest, largest, count;
} reference_minimisers;

/* The minimisers of RelCost over 1 <= m <= m_max. Requires l_max >= m_max - 1. The library's m_X is the largest. */
reference_minimisers reference_m_x(const reference_disk *table, uint64_t m_max);
bool reference_is_minimiser(const reference_disk *table, uint64_t m_max, uint64_t m);

/* l_X^(1) by Algorithm 3, with Opt_inf(l - j), or as printed with Opt_inf(l - 1 - j). REFERENCE_INF if the table is too
 * short. */
uint64_t reference_l_x1(const reference_disk *table, bool as_printed);

typedef struct reference_algorithm4 {
    uint64_t m_x;  /* 0 if the set M_X is empty */
    uint64_t size; /* number of elements of M_X */
} reference_algorithm4;

/* Algorithm 4 with the corrected index. Requires l_max >= l_x1 + m_max. */
reference_algorithm4 reference_m_x_algorithm4(const reference_disk *table, uint64_t l_x1, uint64_t m_max);

/* The candidates of Conjecture 1 for i_r = x and x + 1 (u_f = 1): f(i_w, i_r, c_m), or as printed f(i_r, i_w, c_m). */
void reference_conjecture(const reference_platform *platform, bool as_printed, uint64_t *a, uint64_t *b);

/* Periodic dominant sequences with period m. A count is a number of periods; reference_exec computes its cost. */
/* Returns false if res would be negative. */
bool reference_pds_ceil(uint64_t l, uint64_t m, uint64_t l_x1, uint64_t *count);
/* The smallest count <= l / m with res < l_x1, if there is one. */
uint64_t reference_pds_strict(uint64_t l, uint64_t m, uint64_t l_x1);
/* The smallest of the best counts. */
uint64_t reference_pds_best(const reference_disk *table, uint64_t l, uint64_t m);

/* ---- K tiers (reference_levels.c), what H-Revolve minimises ---- */

typedef struct reference_levels {
    size_t tier_count;
    verso_tier tiers[VERSO_TIERS_MAX]; /* finite capacities */
    uint64_t u_f, u_b, l_max;
    uint64_t *makespan; /* l_max + 1 entries; x_0 is the working state and no state is stored */
} reference_levels;

/* Exact if neither write nor read costs decrease from one tier to the next; else an upper bound. */
reference_levels reference_levels_new(const verso_tier *tiers, size_t tier_count, uint64_t u_f, uint64_t u_b,
                                      uint64_t l_max);
void reference_levels_free(reference_levels *table);

/* ---- Divide and conquer (reference_treeverse.c), figs. 20 and 21 of paper 1 ---- */

typedef struct reference_tree {
    uint64_t recomputed; /* steps run outside of leaves */
    uint64_t max_live;   /* maximum number of snapshots at a leaf, with the leaf's own, without x_0 */
    uint64_t leaves;     /* number of leaves */
    uint64_t max_leaf;   /* steps of the longest leaf */
    uint64_t depth;      /* depth of the binary tree */
} reference_tree;

reference_tree reference_binary(uint64_t n, uint64_t alpha, uint64_t d, uint64_t t, verso_split split);    /* fig. 21 */
reference_tree reference_treeverse(uint64_t n, uint64_t alpha, uint64_t d, uint64_t t, verso_split split); /* fig. 20 */
/* The smallest t for a given d, d for a given t, and d = t, with C(d + t, t) >= ceil(n / alpha). */
uint64_t reference_tree_time(uint64_t n, uint64_t alpha, uint64_t d);
uint64_t reference_tree_space(uint64_t n, uint64_t alpha, uint64_t t);
uint64_t reference_tree_log(uint64_t n, uint64_t alpha);

#endif
