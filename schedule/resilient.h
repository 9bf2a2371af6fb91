/* The distance that resilience needs, for all kinds that report it. */
#ifndef VERSO_SCHEDULE_RESILIENT_H
#define VERSO_SCHEDULE_RESILIENT_H

#include <stdint.h>

/* The smallest distance that can be asked for (distance * slots >= steps) and under which a time-optimal schedule still
 * exists; 0 for steps <= 1. */
uint64_t verso_free_distance(uint64_t steps, uint64_t slots);

#endif
