/* The cost of a schedule with 128-bit integers, and its conversion to and from the public verso_cost. */
#ifndef VERSO_SCHEDULE_COST_H
#define VERSO_SCHEDULE_COST_H

#include "base/wide.h"

#include <verso/failures.h>
#include <verso/schedule.h>

/* The fields of verso_cost (verso/schedule.h), with the same meanings. */
typedef struct verso__cost {
    uint64_t steps;
    verso__wide forward_steps;
    verso__wide recorded_steps;
    verso__wide makespan;
    verso__wide writes[VERSO_TIERS_MAX];
    verso__wide reads[VERSO_TIERS_MAX];
    uint64_t peak_slots[VERSO_TIERS_MAX];
    uint64_t repetition;
    uint64_t adjoint_stores;
    uint64_t longest_recording;
    verso__wide least_makespan;
    uint64_t free_distance;
    uint64_t period;
} verso__cost;

/* Convert a cost to the public struct and back. */
verso_cost verso__cost_show(const verso__cost *cost);
verso__cost verso__cost_read(const verso_cost *cost);

/* Like verso_schedule_cost, verso_schedule_simulate and verso_breakdown_cost, but with 128-bit integers. */
verso_status verso__schedule_cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error);
verso_status verso__schedule_simulate(const verso_schedule_spec *spec, verso__cost *cost, verso_error *error);
verso_status verso__breakdown_cost(const verso_schedule_spec *spec, const verso_breakdown *breakdowns, size_t count,
                                   verso__wide *forward_steps, verso_error *error);

#endif
