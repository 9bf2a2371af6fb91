/* A set of states held in slots while the number of steps is still unknown: which one to give up when the slots are
 * full, and how to reverse everything from the set once the end is known.
 *
 * The set is an array of entries of three words in order of position. Entry 0 is where the reversal must end (x_0,
 * or the start of a period) and is never given up. An interval with i entries before it is reversed on c - i slots,
 * including that of its own start, because everything to its right is finished by then. */
#ifndef VERSO_SCHEDULE_HELD_H
#define VERSO_SCHEDULE_HELD_H

#include "base/wide.h"
#include "schedule/binomial.h"

enum verso__held_words { VERSO_HELD_POSITION, VERSO_HELD_TARGET, VERSO_HELD_SLOT, VERSO_HELD_WORDS };
#define VERSO_HELD_EVICT UINT64_MAX /* a target: give the entry up */

/* Up to this many slots, the state to give up is chosen by examining every held state; with more, spaced.h chooses. */
enum { VERSO_HELD_FEW = 16 };

/* Guesses of repetition numbers by depth, which speed up the next choice and affect nothing else. Zero-initialise. */
typedef struct verso__held_guesses {
    uint64_t shifted[VERSO_HELD_FEW], merged[VERSO_HELD_FEW], as_it_is[VERSO_HELD_FEW];
} verso__held_guesses;

/* Initialises a table for these choices and plans. It is small: very many repetitions occur only with few slots,
 * where computing a coefficient is quick. Returns false if there is no memory. */
bool verso__held_table_init(verso__beta_table *table, uint64_t slots, uint64_t steps);

/* Returns the steps to the next point at which a state may be stored: 1 while slots are free, later a fraction of
 * `way`, the distance covered so far. */
uint64_t verso__held_gap(uint64_t count, uint64_t slots, uint64_t way);

/* Chooses the entry to give up for x_at if all slots (at most VERSO_HELD_FEW) are full; `count` if storing x_at is
 * not worth it. Minimises the cost of reversing if the end came at the next such point, `gap` steps on. */
uint64_t verso__held_victim(const verso__beta_table *table, verso__held_guesses *guesses, const uint64_t *held,
                            uint64_t count, uint64_t at, uint64_t gap);

/* Sets the targets so that [held[0], end) is reversed with the fewest forward steps, without a working state. An
 * entry is given up at once (target EVICT), kept (0), or moved when its turn comes: its state is advanced to the
 * target and stored there in its place. Entries at or beyond `end` are given up. The result is exact if count^2
 * (end - start)^2 is at most some millions. Beyond that, it first chooses the entries to keep, giving up at most 63
 * in all and 12 between two that are kept, and then moves them. Returns false if there is no memory. */
bool verso__held_plan(uint64_t *held, uint64_t count, uint64_t slots, uint64_t end, verso__wide *forward_steps);

#endif
