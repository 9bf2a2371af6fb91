/* Temporary: kinds that are being written. Removed before anything is committed. */
#include <verso/failures.h>

#include "base/status.h"
#include "schedule/kind.h"
verso_status verso_breakdown_cost(const verso_schedule_spec *spec, const verso_breakdown *breakdowns, size_t count,
                                  verso_wide *forward_steps, verso_error *error) {
    (void)spec, (void)breakdowns, (void)count, (void)forward_steps;
    return verso_fail(error, VERSO_INVALID, "being written");
}
