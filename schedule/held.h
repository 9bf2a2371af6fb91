/* A set of states held in slots while the number of steps is still unknown: which one to let go when the slots are
 * full, and how to reverse everything from what is held once the end is known.
 *
 * The set is an array of entries of three words, in order of position; entry 0 is where the reversal must end (x_0, or
 * the start of a period) and is never let go. With i entries before it, an interval is reversed on c - i slots, its own
 * start's included: what lies to its right is finished by then. */
#ifndef VERSO_SCHEDULE_HELD_H
#define VERSO_SCHEDULE_HELD_H

#include "schedule/binomial.h"

enum verso_held_words { VERSO_HELD_POSITION, VERSO_HELD_TARGET, VERSO_HELD_SLOT, VERSO_HELD_WORDS };
#define VERSO_HELD_EVICT UINT64_MAX /* a target: not worth its slot */

/* With more slots than these, what to let go is not chosen by looking at every held state (spaced.h). */
enum { VERSO_HELD_FEW = 16 };

/* Guesses at repetition numbers, by depth: those of one choice are near those of the next. Zeros will do; they change
 * how long a choice takes and nothing else. */
typedef struct verso_held_guesses {
    uint64_t shifted[VERSO_HELD_FEW], merged[VERSO_HELD_FEW], as_it_is[VERSO_HELD_FEW];
} verso_held_guesses;

/* A table for these choices and plans. It is kept small: where repetitions are very many, slots are few, and a binomial
 * is soon computed. False when there is no memory. */
bool verso_held_table_init(verso_beta_table *table, uint64_t slots, uint64_t steps);

/* Steps to the next point where something may be stored: one while slots are free, later a fraction of the way come. */
uint64_t verso_held_gap(uint64_t count, uint64_t slots, uint64_t way);

/* All slots, few, are full and x_at could be stored: the entry to let go for it, or `count` if x_at is not worth it.
 * Judged by the cost of reversing, should the end come at the next such point. */
uint64_t verso_held_victim(const verso_beta_table *table, verso_held_guesses *guesses, const uint64_t *held,
                           uint64_t count, uint64_t at, uint64_t gap);

/* Sets the targets so that [held[0], end) is reversed with the fewest forward steps, no working state being given: an
 * entry is let go at once (EVICT), kept (0), or, when its turn comes, moved: its state is advanced to the target and
 * stored there in its place. Exact as long as count^2 (end - start)^2 is at most some millions; beyond that the best
 * set to keep is chosen first, of those that let go of 63 at most, a dozen between two kept ones, and moved
 * afterwards. Entries at or beyond `end` are let go. False when there is no memory. */
bool verso_held_plan(uint64_t *held, uint64_t count, uint64_t slots, uint64_t end, verso_wide *forward_steps);

#endif
