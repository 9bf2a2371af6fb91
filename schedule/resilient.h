/* What resilience costs: the parts of the prediction that have a search of their own. */
#ifndef VERSO_SCHEDULE_RESILIENT_H
#define VERSO_SCHEDULE_RESILIENT_H

#include "schedule/revolve.h"

/* Adds to `cost`, whose steps are set, what the rule with its distance does on that many slots. Along the first sweep
 * the distance binds; all that is left of a capsule is reversed by revolve's own rule, with shorter advances than the
 * one that led past it. */
void verso_clipped_cost(const verso_revolve *rule, uint64_t slots, verso_cost *cost);

/* Adds the capsules that the first sweep of revolve on `slots` writes besides its own, at multiples of `distance` from
 * the last of those; they use what is free of `all_slots`. */
void verso_recovery_cost(const verso_revolve *rule, uint64_t slots, uint64_t all_slots, uint64_t distance,
                         verso_cost *cost);

/* The smallest distance that can be asked for (distance * slots >= steps) and under which a time-optimal schedule still
 * exists; 0 for steps <= 1. */
uint64_t verso_free_distance(uint64_t steps, uint64_t slots);

#endif
