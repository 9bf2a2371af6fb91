/* Predicts what a breakdown of the machine costs under a schedule: the comparison of section 5 of paper 5
 * (docs/paper5.md), for all kinds of schedule that the paper compares.
 *
 *     verso_breakdown breakdowns[] = {{.adjoint = false, .step = 500}, {.adjoint = true, .step = 500}};
 *     verso_wide forward_steps[2];
 *     verso_breakdown_cost(&spec, breakdowns, 2, forward_steps, &error);
 *
 * Thread safety: any thread may call verso_breakdown_cost; it keeps no state. Errors: verso/status.h. */
#ifndef VERSO_FAILURES_H
#define VERSO_FAILURES_H

#include <verso/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When a run breaks down. */
typedef struct verso_breakdown {
    bool adjoint;  /* false: in the first sweep, when its state is x_step;
                    * true: right after the adjoint of x_step was computed */
    uint64_t step; /* less than the number of steps */
} verso_breakdown;

/* For each of the `count` breakdowns, sets forward_steps[i] to the number of forward steps of the whole run if it
 * breaks down once, at breakdowns[i], and is then restarted from the state capsules (two-level: from the outer ones
 * only) and the last adjoint capsule, which survive. The prediction assumes that the rest is reversed as cheaply as
 * these capsules and the slots allow. The breakdowns may be in any order. `forward_steps` has room for `count` numbers.
 *
 * The kind is resilient, continuous, single-recovery, two-level, or revolve (a run that does not protect its adjoint).
 * VERSO_STATUS_INVALID for other kinds and for a breakdown that is not within the steps; otherwise fails like
 * verso_schedule_new. */
VERSO_API verso_status verso_breakdown_cost(const verso_schedule_spec *spec, const verso_breakdown *breakdowns,
                                            size_t count, verso_wide *forward_steps, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
