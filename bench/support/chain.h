/* Paper 4's quantities for one platform, from its recurrences (with the errata of docs/paper4.md) and without the
 * library's closed forms; bench/paper4 compares the library with them. Lengths are l = n - 1, costs have u_f = 1 and
 * u_b = 0. */
#ifndef VERSO_BENCH_CHAIN_H
#define VERSO_BENCH_CHAIN_H

#include <verso/schedule.h>

typedef struct bench_chain {
    verso_platform platform; /* forward_cost is 1 */
    uint64_t longest;        /* m_max of Lemma 8: no optimal period is longer */
    uint64_t length;         /* number of lengths in the tables */
    uint64_t *opt0;          /* Opt_0(l): memory only */
    uint64_t *opt1d;         /* Opt_1^(d)(l), l < longest: x_0 is on disk */
    uint64_t *opt_inf;       /* Opt_inf(l) */
} bench_chain;

bench_chain bench_chain_new(const verso_platform *platform, uint64_t length);
void bench_chain_free(bench_chain *chain);

/* Returns the cost of a period besides its first sweep: w_d + r_d + Opt_1^(d)(m - 1). */
uint64_t bench_chain_period_cost(const bench_chain *chain, uint64_t m);
/* Returns the sign of RelCost(a) - RelCost(b). */
int bench_chain_compare(const bench_chain *chain, uint64_t a, uint64_t b);
/* Returns the longest period with the least relative cost. */
uint64_t bench_chain_period(const bench_chain *chain);

/* Returns i_X: the maximum, over all l, of the least number of periods other than m in an optimal sequence for l. Sets
 * *repeats to the length from which the recurrence repeats itself forever (0: beyond the tables). */
uint64_t bench_chain_exceptions(const bench_chain *chain, uint64_t m, uint64_t *repeats);

/* Algorithms 3 and 4: l_X^(1), and m_X with the number of elements of M_X (m_x is 0 if there are none); as printed,
 * with Opt_inf(l - 1 - j), or corrected, with Opt_inf(l - j). */
typedef struct bench_algorithm4 {
    uint64_t first_useful, m_x, size;
} bench_algorithm4;
bench_algorithm4 bench_chain_algorithm4(const bench_chain *chain, bool as_printed);

/* Returns the cost by Theorem 5 of `count` periods m and the residual. */
uint64_t bench_chain_sequence_cost(const bench_chain *chain, uint64_t l, uint64_t m, uint64_t count);
/* Algorithm 5, DISK-A-REVOLVE, with ceil(l / m) - 1 full periods; l >= 1. */
uint64_t bench_chain_disk_a_revolve(const bench_chain *chain, uint64_t l, uint64_t m);

#endif
