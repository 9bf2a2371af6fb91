/* Binomial coefficients and the closed forms of revolve, on which all schedules are based. Notation: beta(c, r) =
 * C(c + r, c), 0 if c or r is negative. The repetition number r of n steps on c slots satisfies beta(c, r-1) < n <=
 * beta(c, r).
 *
 * 64-bit coefficients saturate at UINT64_MAX, which is correct in every comparison with an actual number of steps. */
#ifndef VERSO_SCHEDULE_BINOMIAL_H
#define VERSO_SCHEDULE_BINOMIAL_H

#include "base/wide.h"

#include <stdbool.h>
#include <stdint.h>
#include <verso/schedule.h>

/* Returns beta(c, r), saturating. */
uint64_t verso__beta(int64_t c, int64_t r);
/* The same with 128 bits, for use as a value and not only in comparisons: with few slots, sums exceed 64 bits. */
verso__wide verso__beta_wide(int64_t c, int64_t r);
/* Returns the sum of beta(c, fixed) over c from low to high; since beta is symmetric, also of beta(fixed, r) over
 * r. */
verso__wide verso__beta_sum(int64_t low, int64_t high, int64_t fixed);

/* Rows 0 to `slots` of Pascal's triangle up to column `repetitions`, for schedules that need millions of
 * coefficients. */
typedef struct verso__beta_table {
    int64_t slots;
    int64_t repetitions;
    uint64_t *cells; /* owned; NULL: the table would be too large, so coefficients are computed */
} verso__beta_table;

/* Returns false if there is no memory. */
bool verso__beta_table_init(verso__beta_table *table, uint64_t slots, uint64_t repetitions);
void verso__beta_table_clear(verso__beta_table *table);

static inline uint64_t verso__beta_at(const verso__beta_table *table, int64_t c, int64_t r) {
    if ((uint64_t)c <= (uint64_t)table->slots && (uint64_t)r <= (uint64_t)table->repetitions && table->cells != NULL)
        return table->cells[c * (table->repetitions + 1) + r];
    return verso__beta(c, r);
}

static inline verso__wide verso__beta_wide_at(const verso__beta_table *table, int64_t c, int64_t r) {
    uint64_t value = verso__beta_at(table, c, r);
    return value < UINT64_MAX ? value : verso__beta_wide(c, r);
}

/* Returns the repetition number of n steps on c slots; n >= 1, c >= 1 (for n = 1 c may be 0). */
uint64_t verso__repetition(uint64_t n, uint64_t c);
/* The same, searched from a guess that is usually right or off by one. */
uint64_t verso__repetition_search(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t guess);

static inline uint64_t verso__repetition_near(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t guess) {
    if (guess > 0 && verso__beta_at(table, (int64_t)c, (int64_t)guess) >= n &&
        verso__beta_at(table, (int64_t)c, (int64_t)guess - 1) < n)
        return guess;
    return verso__repetition_search(table, n, c, guess);
}

/* Returns the least number of forward steps: n r - beta(c + 1, r - 1); 0 for n <= 1. */
verso__wide verso__min_forward(uint64_t n, uint64_t c);
/* Returns the number of capsules that revolve writes: max(beta(c - 1, r - 1), n - beta(c, r - 1)), the least of all
 * time-optimal rules. */
verso__wide verso__min_writes(uint64_t n, uint64_t c);

/* Return how far to advance after storing the current state, which takes one of the c slots; n >= 2, c >= 1, r is
 * the repetition number. Exactly the advances from `least` to `most` are time-optimal; revolve's also minimises
 * writes. */
uint64_t verso__advance_revolve(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t r);
uint64_t verso__advance_least(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t r);
uint64_t verso__advance_most(const verso__beta_table *table, uint64_t n, uint64_t c,
                             uint64_t r); /* Theorem 4.2 of paper 5 */

#endif
