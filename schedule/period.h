/* The cost of disk capsules: the arithmetic of `disk`, `periodic` and two-tier `online` schedules, derived in
 * docs/schedules.md.
 *
 * A dominant sequence (paper 4) divides n steps into q periods, each with a disk capsule, and a residual. A period
 * is reversed in pieces, from the right: each piece takes one read of the disk capsule and is reversed by revolve
 * with the memory slots. A step in the k-th piece of a period that revolve repeats rho times is run k + rho times
 * in all; a step in the residual, rho times. For given numbers of periods and pieces, the cheapest lengths fill the
 * cheapest places first, and their cost has a closed form: no dynamic program is needed for any n. */
#ifndef VERSO_SCHEDULE_PERIOD_H
#define VERSO_SCHEDULE_PERIOD_H

#include <verso/schedule.h>

#include "base/wide.h"

/* A number of periods and pieces, and the level up to which their places are filled. */
typedef struct verso__partition {
    uint64_t periods; /* q */
    uint64_t pieces;  /* P, in all periods together; each has P / q or one more */
    uint64_t level;   /* no step is run without recording more often than this */
    verso__wide cost; /* cost of writes, reads and forward steps; VERSO_WIDE_MAX if the steps do not fit */
} verso__partition;

/* Returns the cheapest partition with this number of periods and pieces. */
verso__partition verso__partition_of(const verso_platform *platform, uint64_t steps, uint64_t periods, uint64_t pieces);

/* Returns the cheapest partition. Sets *proven if the search ended by its bound and not by its limit. */
verso__partition verso__partition_best(const verso_platform *platform, uint64_t steps, bool *proven);

/* Returns the number of steps of a period of `pieces` pieces in which all places up to the level are filled. */
uint64_t verso__period_steps(uint64_t slots, uint64_t pieces, uint64_t level);

/* The period with the least cost per step. verso__period_best returns false if the disk never pays, because forward
 * steps cost nothing. */
typedef struct verso__best_period {
    uint64_t steps, pieces, level;
    verso__wide cost; /* including its own first sweep */
} verso__best_period;
bool verso__period_best(const verso_platform *platform, verso__best_period *best);

#endif
