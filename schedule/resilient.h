/* The cost of resilience: the parts of the prediction that need a search of their own. */
#ifndef VERSO_SCHEDULE_RESILIENT_H
#define VERSO_SCHEDULE_RESILIENT_H

#include "schedule/cost.h"
#include "schedule/revolve.h"

/* Adds to `cost`, whose steps are set, the cost of the rule with its distance on `slots` slots. The distance only
 * limits the first sweep: everything to the left of a capsule is reversed by revolve's own rule, whose advances are
 * shorter than the one that led past it. */
void verso__clipped_cost(const verso__revolve *rule, uint64_t slots, verso__cost *cost);

/* Adds the recovery capsules that the first sweep of revolve on `slots` slots writes in addition to its own, at
 * multiples of `distance` from the last of those. They use the free slots of `all_slots`. */
void verso__recovery_cost(const verso__revolve *rule, uint64_t slots, uint64_t all_slots, uint64_t distance,
                          verso__cost *cost);

/* Returns the smallest permitted distance (distance * slots >= steps) with which a time-optimal schedule exists; 0
 * for steps <= 1. */
uint64_t verso__free_distance(uint64_t steps, uint64_t slots);

#endif
