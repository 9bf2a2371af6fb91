/* What a disk is worth: the arithmetic behind `disk`, `periodic` and two-tier `online` schedules (docs/schedules.md
 * derives it).
 *
 * A dominant sequence (paper 4) cuts n steps into q periods, each with its disk capsule, and a residual. A period is
 * reversed in pieces, from the right: each piece costs a read of the disk capsule and is revolved with the memory
 * slots. A step in the k-th piece of a period that revolve repeats rho times is run k + rho times in all; one in the
 * residual, rho times. So, for given counts of periods and pieces, the cheapest lengths fill the cheapest places first,
 * and everything about them has a closed form: no dynamic program is needed, for any n. */
#ifndef VERSO_SCHEDULE_PERIOD_H
#define VERSO_SCHEDULE_PERIOD_H

#include <verso/schedule.h>

#include "base/wide.h"

/* A number of periods and pieces, and the level that the places are filled to. */
typedef struct verso_partition {
    uint64_t periods; /* q */
    uint64_t pieces;  /* in all periods together; P / q or one more in each */
    uint64_t level;   /* no step is run more often without recording */
    verso_wide cost;  /* writes, reads and forward steps; VERSO_WIDE_MAX when the steps do not fit */
} verso_partition;

verso_partition verso_partition_of(const verso_platform *platform, uint64_t steps, uint64_t periods, uint64_t pieces);

/* The cheapest of all; `proven` is told whether the search ended by its bound rather than by its limit. */
verso_partition verso_partition_best(const verso_platform *platform, uint64_t steps, bool *proven);

/* Steps of a period of `pieces` pieces in which all places up to the level are filled. */
uint64_t verso_period_steps(uint64_t slots, uint64_t pieces, uint64_t level);

/* The period of least relative cost, as pieces and level. False when the disk never pays (forward steps cost nothing).
 */
typedef struct verso_best_period {
    uint64_t steps, pieces, level;
    verso_wide cost; /* with its own first sweep */
} verso_best_period;
bool verso_period_best(const verso_platform *platform, verso_best_period *best);

#endif
