/* The optimal sequence for memory slots and a disk, for the kind `disk`, and for `levels` with such tiers. */
#ifndef VERSO_SCHEDULE_DISK_H
#define VERSO_SCHEDULE_DISK_H

#include "schedule/cost.h"
#include "schedule/dominant.h"

/* Fills in the cheapest sequence with an unlimited disk. */
void verso__disk_plan(verso__sequence *sequence, const verso_platform *platform, uint64_t steps);
/* Prepares the schedule to play the sequence. */
verso_status verso__disk_start(verso_schedule *schedule, verso__sequence *sequence, verso_error *error);
/* Sets *action to the next action; tier 0 is memory, tier 1 the disk. */
verso_status verso__disk_next(verso_schedule *schedule, const verso__sequence *sequence, verso_action *action,
                              verso_error *error);
/* Fills in all fields of *cost except the makespan, for cost->steps steps. */
void verso__disk_cost(const verso__sequence *sequence, verso__cost *cost);
/* Returns whether the walk could have come from this sequence (see verso__kind.valid). */
bool verso__disk_valid(const verso_schedule *schedule, const verso__sequence *sequence);

#endif
