/* Binomial checkpointing on one tier: the rule for the capsule machine that all binomial kinds share. */
#ifndef VERSO_SCHEDULE_REVOLVE_H
#define VERSO_SCHEDULE_REVOLVE_H

#include "schedule/binomial.h"
#include "schedule/cost.h"
#include "schedule/machine.h"

typedef struct verso__revolve {
    verso__beta_table table;
    uint64_t distance; /* maximum number of steps of one advance, for nodes whose b is 1 */
} verso__revolve;

/* Initialises the rule for intervals of up to `steps` steps on up to `slots` slots. Returns false if there is no
 * memory. */
bool verso__revolve_init(verso__revolve *rule, uint64_t steps, uint64_t slots, uint64_t distance);
void verso__revolve_clear(void *rule);

/* Returns the machine with this rule. */
verso__machine verso__revolve_machine(const verso__revolve *rule, uint64_t slots);

/* Returns the advance from a stored state over the next node->length steps. node->a is a guess of the repetition
 * number and is corrected; node->b is 1 if the distance limits the advance. */
uint64_t verso__revolve_advance(const verso__revolve *rule, verso__node *node);

/* Adds to `cost` the cost of revolve on `count` intervals of `length` steps, one after the other, each begun from a
 * working state that is not stored. Peak slots are those of one interval. */
void verso__revolve_cost(verso__cost *cost, uint64_t count, uint64_t length, uint64_t slots);

#endif
