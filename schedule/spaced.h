/* The states that an online schedule holds if it has many slots: at distances that are powers of two, longer ones
 * further left. Such a set is like a binary numeral whose digits may exceed 1: storing a state adds 1 to the last
 * digit, and giving up every other one of the first few states of a digit is a carry. A set is therefore described
 * by some ten numbers for any number of slots, a decision examines that many, and the first sweep over 10^12 steps
 * takes some thousand decisions. */
#ifndef VERSO_SCHEDULE_SPACED_H
#define VERSO_SCHEDULE_SPACED_H

#include "schedule/binomial.h"

enum { VERSO_SPACED_DIGITS = 62 };

typedef struct verso__spaced {
    uint64_t digits[VERSO_SPACED_DIGITS]; /* number of intervals of 2^k steps between neighbours */
    uint64_t intervals;                   /* number of all intervals: one less than states */
    uint64_t way;                         /* distance from the first state to the last */
    uint64_t guess;                       /* guess of the repetition number at the next choice */
} verso__spaced;

/* Returns the steps to the next state to store if the last one is `way` steps after the first. */
uint64_t verso__spaced_gap(uint64_t slots, uint64_t way);

/* Adds `count` states at distances of `gap`. */
void verso__spaced_add(verso__spaced *set, uint64_t gap, uint64_t count);

/* A carry: the first `pairs` pairs of intervals of a digit become one interval each. */
typedef struct verso__carry {
    unsigned digit;
    uint64_t pairs;
    uint64_t last; /* index of the last state that is given up; the others are every other one before it */
} verso__carry;

/* Returns whether a choice is due if a state is stored `way` steps after the first, which makes `intervals`
 * intervals. */
bool verso__spaced_due(uint64_t slots, uint64_t intervals, uint64_t way);

/* Chooses what to give up after the last state of the set has been added and a choice is due, or after another
 * choice. Returns false if the set is good as it is. */
bool verso__spaced_choose(const verso__beta_table *table, verso__spaced *set, uint64_t slots, verso__carry *carry);
/* Applies a carry to the set. */
void verso__spaced_carry(verso__spaced *set, const verso__carry *carry);

/* The result of a first sweep. */
typedef struct verso__spaced_sweep {
    verso__spaced set;
    uint64_t stores, most_states;
} verso__spaced_sweep;

/* Computes the first sweep from a stored state over `length` steps. `last_too`: the state at which it ends is
 * stored as well, if possible. */
verso__spaced_sweep verso__spaced_swept(const verso__beta_table *table, uint64_t slots, uint64_t length, bool last_too);

#endif
