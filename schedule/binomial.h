/* The binomial facts on which every schedule rests. Notation: beta(c, r) = C(c + r, c), 0 when c or r is negative; the
 * repetition number r of n steps on c slots satisfies beta(c, r-1) < n <= beta(c, r).
 *
 * Binomials saturate at UINT64_MAX, which is right in every comparison with a real number of steps. */
#ifndef VERSO_SCHEDULE_BINOMIAL_H
#define VERSO_SCHEDULE_BINOMIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <verso/schedule.h>

uint64_t verso_beta(int64_t c, int64_t r);
/* The same with 128 bits, for where it is a value and not only compared: sums of places exceed 64 when slots are few.
 */
verso_wide verso_beta_wide(int64_t c, int64_t r);
/* The sum of beta(c, r) over c from low to high, or, because beta is symmetric, over r with c fixed. */
verso_wide verso_beta_sum(int64_t low, int64_t high, int64_t fixed);

/* Rows 0 … slots of Pascal's triangle up to column `repetitions`, for schedules that ask millions of times. */
typedef struct verso_beta_table {
    int64_t slots;
    int64_t repetitions;
    uint64_t *cells; /* owned; NULL: too large to be worth it, every question is computed */
} verso_beta_table;

/* False when there is no memory. */
bool verso_beta_table_init(verso_beta_table *table, uint64_t slots, uint64_t repetitions);
void verso_beta_table_clear(verso_beta_table *table);

static inline uint64_t verso_beta_at(const verso_beta_table *table, int64_t c, int64_t r) {
    if ((uint64_t)c <= (uint64_t)table->slots && (uint64_t)r <= (uint64_t)table->repetitions && table->cells != NULL)
        return table->cells[c * (table->repetitions + 1) + r];
    return verso_beta(c, r);
}

static inline verso_wide verso_beta_wide_at(const verso_beta_table *table, int64_t c, int64_t r) {
    uint64_t value = verso_beta_at(table, c, r);
    return value < UINT64_MAX ? value : verso_beta_wide(c, r);
}

/* n >= 1, c >= 1 (n = 1 may have c = 0). */
uint64_t verso_repetition(uint64_t n, uint64_t c);
/* The same, searched from a guess that is usually right or one off. */
uint64_t verso_repetition_search(const verso_beta_table *table, uint64_t n, uint64_t c, uint64_t guess);

static inline uint64_t verso_repetition_near(const verso_beta_table *table, uint64_t n, uint64_t c, uint64_t guess) {
    if (guess > 0 && verso_beta_at(table, (int64_t)c, (int64_t)guess) >= n &&
        verso_beta_at(table, (int64_t)c, (int64_t)guess - 1) < n)
        return guess;
    return verso_repetition_search(table, n, c, guess);
}

/* Least forward steps: n r - beta(c + 1, r - 1); 0 for n <= 1. */
verso_wide verso_min_forward(uint64_t n, uint64_t c);
/* Capsules that revolve's rule writes: max(beta(c - 1, r - 1), n - beta(c, r - 1)), the least of all time-optimal
 * rules. */
verso_wide verso_min_writes(uint64_t n, uint64_t c);

/* How far to advance after storing the current state, which takes one of the c slots; n >= 2, c >= 1, r the repetition
 * number. The time-optimal answers are exactly [least, most]; revolve's own also minimises writes. */
uint64_t verso_advance_revolve(const verso_beta_table *table, uint64_t n, uint64_t c, uint64_t r);
uint64_t verso_advance_least(const verso_beta_table *table, uint64_t n, uint64_t c, uint64_t r);
uint64_t verso_advance_most(const verso_beta_table *table, uint64_t n, uint64_t c,
                            uint64_t r); /* Theorem 4.2, paper 5 */

#endif
