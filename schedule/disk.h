/* The optimal sequence for memory slots and a disk, for the kinds that play it: `disk`, and `levels` where its tiers
 * are these. */
#ifndef VERSO_SCHEDULE_DISK_H
#define VERSO_SCHEDULE_DISK_H

#include "schedule/dominant.h"

/* The cheapest sequence on an unlimited disk. */
void verso_disk_plan(verso_sequence *sequence, const verso_platform *platform, uint64_t steps);
/* Makes the sequence ready to be played. */
verso_status verso_disk_start(verso_schedule *schedule, verso_sequence *sequence, verso_error *error);
/* The next action; tier 0 is memory and tier 1 the disk. */
verso_status verso_disk_next(verso_schedule *schedule, const verso_sequence *sequence, verso_action *action,
                             verso_error *error);
/* All counts of cost->steps steps; not the makespan. */
void verso_disk_cost(const verso_sequence *sequence, verso_cost *cost);
bool verso_disk_valid(const verso_schedule *schedule, const verso_sequence *sequence);

#endif
