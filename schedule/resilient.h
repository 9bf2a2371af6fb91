/* The distance that resilience needs, for all kinds that report it. */
#ifndef VERSO_SCHEDULE_RESILIENT_H
#define VERSO_SCHEDULE_RESILIENT_H

#include <stdint.h>

/* The smallest bound on the steps between capsules under which a time-optimal schedule still exists; 0 for steps <= 1.
 */
uint64_t verso_free_distance(uint64_t steps, uint64_t slots);

#endif
