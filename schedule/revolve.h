/* Binomial checkpointing on one tier: the rule for the capsule machine, shared by every kind that is binomial
 * somewhere. */
#ifndef VERSO_SCHEDULE_REVOLVE_H
#define VERSO_SCHEDULE_REVOLVE_H

#include "schedule/binomial.h"
#include "schedule/machine.h"

typedef struct verso_revolve {
    verso_beta_table table;
    uint64_t distance; /* most steps of one advance, for nodes whose b is 1 */
} verso_revolve;

/* For intervals of up to `steps` on up to `slots`. False when there is no memory. */
bool verso_revolve_init(verso_revolve *rule, uint64_t steps, uint64_t slots, uint64_t distance);
void verso_revolve_clear(void *rule);

verso_machine verso_revolve_machine(const verso_revolve *rule, uint64_t slots);

/* The advance from a stored state over the next `node->length` steps; node->a is a guess of its repetition number, and
 * is made right; node->b is 1 if the advance is subject to the distance. */
uint64_t verso_revolve_advance(const verso_revolve *rule, verso_node *node);

/* Adds to `cost` what revolve does on `count` intervals of `length` steps, one after the other, each begun from a
 * working state that is not stored. Peak slots are those of one interval. */
void verso_revolve_cost(verso_cost *cost, uint64_t count, uint64_t length, uint64_t slots);

#endif
