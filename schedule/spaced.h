/* What an online schedule holds when it has many slots: states at distances that are powers of two, the longer ones
 * further left. Such a set is a binary numeral whose digits may exceed one. Storing a state adds one to the last digit;
 * letting go of every other state of the first few of a digit is a carry. So a set is some ten numbers, however many
 * slots there are, a decision looks at that many, and the first sweep over 10^12 steps is some thousand decisions. */
#ifndef VERSO_SCHEDULE_SPACED_H
#define VERSO_SCHEDULE_SPACED_H

#include "schedule/binomial.h"

enum { VERSO_SPACED_DIGITS = 62 };

typedef struct verso_spaced {
    uint64_t digits[VERSO_SPACED_DIGITS]; /* intervals of 2^k steps between neighbours */
    uint64_t intervals;                   /* all of them: one less than states */
    uint64_t way;                         /* from the first state to the last */
    uint64_t guess;                       /* of the repetition number at the next choice */
} verso_spaced;

/* Steps to the next state to store, when the last one lies `way` beyond the first. */
uint64_t verso_spaced_gap(uint64_t slots, uint64_t way);

void verso_spaced_add(verso_spaced *set, uint64_t gap, uint64_t count);

/* Of the digit's first intervals, so many pairs become one each. */
typedef struct verso_carry {
    unsigned digit;
    uint64_t pairs;
    uint64_t last; /* of the states, counted from 0, that are let go for it; the others are every other one before it */
} verso_carry;

/* Is there a choice to make when a state is stored `way` beyond the first, so that there are so many intervals? */
bool verso_spaced_due(uint64_t slots, uint64_t intervals, uint64_t way);

/* What to let go next when the last state of the set has just been added, and a choice is due, or another has just been
 * made. False when the set is good as it is. */
bool verso_spaced_choose(const verso_beta_table *table, verso_spaced *set, uint64_t slots, verso_carry *carry);
void verso_spaced_carry(verso_spaced *set, const verso_carry *carry);

typedef struct verso_spaced_sweep {
    verso_spaced set;
    uint64_t stores, most_states;
} verso_spaced_sweep;

/* The first sweep from a stored state over `length` steps; whether the state that it ends at is stored too, if it can
 * be, is `last_too`. */
verso_spaced_sweep verso_spaced_swept(const verso_beta_table *table, uint64_t slots, uint64_t length, bool last_too);

#endif
