/* Paper 5's ways to choose the next capsule, what they cost, and the configurations of its table 1: what the figures
 * and the comparisons of bench/paper5 share. */
#ifndef VERSO_BENCH_RULES_H
#define VERSO_BENCH_RULES_H

#include "schedule/binomial.h"

/* One of the library's verso_advance_revolve, _least and _most. */
typedef uint64_t bench_advance_rule(const verso_beta_table *table, uint64_t n, uint64_t c, uint64_t r);

/* Steps to the next capsule when n >= 2 are left and the current state takes one of c slots. */
uint64_t bench_advance(bench_advance_rule *rule, uint64_t n, uint64_t c);

/* Forward steps when the first sweep advances by min(rule, d): everything between two of its capsules is shorter than
 * d and is reversed at best. 0: the slots do not reach. */
uint64_t bench_clipped_steps(bench_advance_rule *rule, uint64_t n, uint64_t c, uint64_t d);

/* Forward steps of a schedule of the library. */
uint64_t bench_forward_steps(verso_schedule_kind kind, uint64_t n, uint64_t c, uint64_t d);
/* The smallest distance that costs none. */
uint64_t bench_free_distance(uint64_t n, uint64_t c);

typedef struct bench_configuration {
    uint64_t steps, repetition, slots, distance;
} bench_configuration;

enum { BENCH_CONFIGURATIONS = 9 };
extern const bench_configuration bench_table_1[BENCH_CONFIGURATIONS]; /* as printed */

/* What table 1 ought to say: the slots that the repetition number takes, and Theorem 4.2's longest advance. */
bench_configuration bench_corrected(const bench_configuration *printed);

#endif
