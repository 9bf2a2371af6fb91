/* Paper 5's rules for the next capsule, their costs, and the configurations of its table 1, for the figures and the
 * comparisons of bench/paper5. */
#ifndef VERSO_BENCH_RULES_H
#define VERSO_BENCH_RULES_H

#include "schedule/binomial.h"

/* One of the library's verso__advance_revolve, _least and _most. */
typedef uint64_t bench_advance_rule(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t r);

/* Returns the steps to the next capsule if n >= 2 are left and the current state takes one of c slots. */
uint64_t bench_advance(bench_advance_rule *rule, uint64_t n, uint64_t c);

/* Returns the forward steps if the first sweep advances by min(rule, d), and the parts between its capsules are
 * reversed optimally. 0: the slots do not suffice. */
uint64_t bench_clipped_steps(bench_advance_rule *rule, uint64_t n, uint64_t c, uint64_t d);

/* Returns the forward steps of a schedule of the library. */
uint64_t bench_forward_steps(verso_schedule_kind kind, uint64_t n, uint64_t c, uint64_t d);
/* Returns the smallest distance that costs no forward step. */
uint64_t bench_free_distance(uint64_t n, uint64_t c);

typedef struct bench_configuration {
    uint64_t steps, repetition, slots, distance;
} bench_configuration;

enum { BENCH_CONFIGURATIONS = 9 };
extern const bench_configuration bench_table_1[BENCH_CONFIGURATIONS]; /* as printed */

/* Returns a corrected row of table 1: the slots that the repetition number needs, and the longest advance of Theorem
 * 4.2. */
bench_configuration bench_corrected(const bench_configuration *printed);

#endif
