/* Mixed checkpointing: a slot holds a state or the record of one step. Closed forms; docs/schedules.md derives them. */
#ifndef VERSO_SCHEDULE_MIXED_H
#define VERSO_SCHEDULE_MIXED_H

#include "schedule/binomial.h"

/* Least steps run in all, recorded ones included, to reverse n >= 1 steps on s slots (s >= 1 unless n = 1). */
verso_wide verso_mixed_steps(uint64_t n, uint64_t s);

/* For n > s + 1: how far to advance after storing the current state. `guess` is of the repetition number of n on s. */
uint64_t verso_mixed_split(const verso_beta_table *table, uint64_t n, uint64_t s, uint64_t *guess);

#endif
