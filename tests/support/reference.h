/* References: what the schedules must cost, computed straight from the definitions by dynamic programs and plain
 * recursion, with none of the library's closed forms. Slow on purpose; exact integers throughout.
 *
 * n counts steps to reverse, l = n - 1 is paper 4's chain length, c counts slots (x_0 takes one). REFERENCE_INF:
 * impossible. Tables belong to the caller and are released by their _free. Running out of memory aborts. */
#ifndef VERSO_TESTS_REFERENCE_H
#define VERSO_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/schedule.h>

#define REFERENCE_INF UINT64_MAX
#define REFERENCE_WIDE_INF (~(verso_wide)0)

/* a + b, and impossible when either is. */
static inline uint64_t reference_add(uint64_t a, uint64_t b) {
    return a == REFERENCE_INF || b == REFERENCE_INF ? REFERENCE_INF : a + b;
}

/* ---- One tier (reference_revolve.c) --------------------------------------------------------------------------------
 */

/* C(c + r, c), exact, saturating at UINT64_MAX. */
uint64_t reference_beta(uint64_t c, uint64_t r);
/* Least r with beta(c, r) >= n. */
uint64_t reference_repetition(uint64_t n, uint64_t c);

/* Fewest forward steps: M(1, c) = 0, M(n, 0) impossible, M(n, c) = min_j j + M(n - j, c - 1) + M(j, c), 1 <= j <=
 * limit. */
typedef struct reference_forward {
    uint64_t n_max, c_max, limit;
    uint64_t *cost; /* (c_max + 1) rows of n_max + 1 */
} reference_forward;

/* limit: the longest advance allowed anywhere; VERSO_UNKNOWN: no limit. O(c n^2) */
reference_forward reference_forward_new(uint64_t n_max, uint64_t c_max, uint64_t limit);
void reference_forward_free(reference_forward *table);
uint64_t reference_forward_at(const reference_forward *table, uint64_t n, uint64_t c); /* n = 0 costs 0 */
/* The set of optimal first advances j: its ends, and whether it has no gap. n >= 2, c >= 1, feasible. */
bool reference_forward_advances(const reference_forward *table, uint64_t n, uint64_t c, uint64_t *lo, uint64_t *hi);

/* The same without limit for n up to 10^12: M is convex in n, so its increments are the sorted merge
 * D_c = {1} + (1 + D_c) + D_{c-1}, kept as how often each value occurs. (c = 1: the sum of 1 … n - 1.) */
verso_wide reference_forward_large(uint64_t n, uint64_t c);
void reference_advances_large(uint64_t n, uint64_t c, uint64_t *lo, uint64_t *hi);

/* Algorithm 799's advance from n steps and c slots, in the words of golden/README.md. n >= 2, c >= 1. */
uint64_t reference_advance_revolve(uint64_t n, uint64_t c);
/* Theorem 4.2 of paper 5 as printed (c = 1: n - 1). */
uint64_t reference_advance_theorem42(uint64_t n, uint64_t c);

typedef uint64_t reference_rule(uint64_t n, uint64_t c);

typedef struct reference_walk {
    uint64_t forward, writes,
        reads; /* of the whole schedule; forward is REFERENCE_INF when the limit makes it impossible */
    uint64_t peak_slots;
    uint64_t longest_gap; /* of the first sweep, the run to the end included */
    size_t first_count;   /* states stored in the first sweep */
    uint64_t *first;      /* from malloc; the caller frees */
} reference_walk;

/* Store, advance by min(rule, limit), do the rest with one slot less, restore, do the first part. n up to some
 * thousands. */
reference_walk reference_walk_rule(uint64_t n, uint64_t c, reference_rule *rule, uint64_t limit);
/* Only longest_gap, for any n. */
uint64_t reference_longest_gap(uint64_t n, uint64_t c, reference_rule *rule);

/* Least d such that some time-optimal schedule has all gaps of its first sweep <= d. By the definition, O(c n^2) … */
uint64_t reference_free_distance(uint64_t n, uint64_t c);
/* … and for large n: which numbers of steps can be left after each store is an interval. */
uint64_t reference_free_distance_large(uint64_t n, uint64_t c);

/* A slot holds a state or the record of one step; all forward steps counted, the recorded ones too:
 * m(1, s) = 1, m(n, 0) impossible, m(n, s) = min(1 + m(n - 1, s - 1), min_i i + m(i, s) + m(n - i, s - 1)).
 * The table has (s_max + 1) rows of n_max + 1, from malloc. */
uint64_t *reference_mixed_new(uint64_t n_max, uint64_t s_max);

/* The online reversal that never evicts: x_{n-1} is the working state, `stored` (ascending, from 0) is held in c slots.
 */
uint64_t reference_keep_all(const reference_forward *table, uint64_t n, uint64_t c, const uint64_t *stored,
                            size_t count);

/* ---- Memory and unlimited disk (reference_disk.c), paper 4
 * -------------------------------------------------------------- */

typedef struct reference_platform {
    uint64_t c_m, w_d, r_d, u_f, u_b;
} reference_platform;

/* Theorem 1, with j <= l so that c_m = 0 works too. Each array has l_max + 1 entries. */
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

/* Lemma 8; REFERENCE_INF where it does not apply, c_m = 0 or u_f = 0. */
uint64_t reference_m_max(const reference_platform *platform);

typedef struct reference_minimisers {
    uint64_t smallest, largest, count;
} reference_minimisers;

/* Of RelCost over 1 <= m <= m_max; the table must reach l_max >= m_max - 1. The largest is the m_X we use. */
reference_minimisers reference_m_x(const reference_disk *table, uint64_t m_max);
bool reference_is_minimiser(const reference_disk *table, uint64_t m_max, uint64_t m);

/* Algorithm 3, with Opt_inf(l - j), or as printed with Opt_inf(l - 1 - j). REFERENCE_INF if the table ends before. */
uint64_t reference_l_x1(const reference_disk *table, bool as_printed);

typedef struct reference_algorithm4 {
    uint64_t m_x;  /* 0 when M_X is empty */
    uint64_t size; /* of M_X */
} reference_algorithm4;

/* Algorithm 4 with the corrected index; the table must reach l_x1 + m_max. */
reference_algorithm4 reference_m_x_algorithm4(const reference_disk *table, uint64_t l_x1, uint64_t m_max);

/* Conjecture 1's candidates for i_r = x and x + 1 (u_f = 1): f(i_w, i_r, c_m), or as printed f(i_r, i_w, c_m). */
void reference_conjecture(const reference_platform *platform, bool as_printed, uint64_t *a, uint64_t *b);

/* Periodic dominant sequences with period m. Counts are numbers of periods; costs by reference_exec. */
bool reference_pds_ceil(uint64_t l, uint64_t m, uint64_t l_x1, uint64_t *count); /* false: res would be negative */
uint64_t reference_pds_strict(uint64_t l, uint64_t m,
                              uint64_t l_x1); /* least count with res < l_x1, if any, <= l / m */
uint64_t reference_pds_best(const reference_disk *table, uint64_t l, uint64_t m); /* least best count */

/* ---- K tiers (reference_levels.c), what H-Revolve minimises
 * --------------------------------------------------------------- */

typedef struct reference_levels {
    size_t tier_count;
    verso_tier tiers[VERSO_TIERS_MAX]; /* finite capacities */
    uint64_t u_f, u_b, l_max;
    uint64_t *makespan; /* l_max + 1 entries; x_0 is the working state, nothing is stored */
} reference_levels;

/* Exact when neither write nor read costs fall from one tier to the next; else an upper bound. */
reference_levels reference_levels_new(const verso_tier *tiers, size_t tier_count, uint64_t u_f, uint64_t u_b,
                                      uint64_t l_max);
void reference_levels_free(reference_levels *table);

/* ---- Divide and conquer (reference_treeverse.c), figs. 20 and 21 of paper 1
 * ------------------------------------------------ */

typedef struct reference_tree {
    uint64_t recomputed; /* steps run outside leaves */
    uint64_t max_live;   /* snapshots alive at a leaf, x_0 excluded, the leaf's own included */
    uint64_t leaves, max_leaf;
    uint64_t depth; /* of the binary tree */
} reference_tree;

reference_tree reference_binary(uint64_t n, uint64_t alpha, uint64_t d, uint64_t t, verso_split split);    /* fig. 21 */
reference_tree reference_treeverse(uint64_t n, uint64_t alpha, uint64_t d, uint64_t t, verso_split split); /* fig. 20 */
/* Smallest t (given d), d (given t), d = t with C(d + t, t) >= ceil(n / alpha). */
uint64_t reference_tree_time(uint64_t n, uint64_t alpha, uint64_t d);
uint64_t reference_tree_space(uint64_t n, uint64_t alpha, uint64_t t);
uint64_t reference_tree_log(uint64_t n, uint64_t alpha);

#endif
