/* Closed forms of mixed checkpointing, in which a slot holds a state or the record of one step. docs/schedules.md
 * derives them. */
#ifndef VERSO_SCHEDULE_MIXED_H
#define VERSO_SCHEDULE_MIXED_H

#include "base/wide.h"
#include "schedule/binomial.h"

/* Returns the least number of steps run in all, including recorded ones, to reverse n >= 1 steps on s slots (s >= 1
 * unless n = 1). */
verso__wide verso__mixed_steps(uint64_t n, uint64_t s);

/* Returns how far to advance after storing the current state, for n > s + 1. *guess is a guess of the repetition
 * number of n on s and is corrected. */
uint64_t verso__mixed_split(const verso__beta_table *table, uint64_t n, uint64_t s, uint64_t *guess);

#endif
