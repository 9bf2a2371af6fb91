/* What a breakdown costs: the comparison of paper 5, section 5, for any of its kinds of schedule. */
#ifndef VERSO_FAILURES_H
#define VERSO_FAILURES_H

#include <verso/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a run breaks down: while the first sweep stands at x_step, or right after the adjoint of x_step was computed.
 */
typedef struct verso_breakdown {
    bool adjoint;
    uint64_t step;
} verso_breakdown;

/* Forward steps that the whole run takes when it breaks down once at that place and is then restarted from what
 * survived: the state capsules (of two-level: the outer ones only) and the last adjoint capsule. What is left is then
 * reversed as cheaply as the surviving capsules and the slots allow. Kinds: resilient, continuous, single-recovery,
 * two-level, and, as a run without any protection of its adjoint, revolve. `forward_steps` has room for `count`
 * answers. */
VERSO_API verso_status verso_breakdown_cost(const verso_schedule_spec *spec, const verso_breakdown *breakdowns,
                                            size_t count, verso_wide *forward_steps, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
