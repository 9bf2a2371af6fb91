/* Temporary: kinds that are being written. Removed before anything is committed. */
#include <verso/failures.h>

#include "base/status.h"
#include "schedule/kind.h"
static verso_status plan(verso_schedule *s, verso_error *e) {
    return verso_fail(e, VERSO_INVALID, "%s is being written", verso_kind_word(s->spec.kind));
}
const verso_kind verso_kind_online = {.plan = plan};
verso_status verso_breakdown_cost(const verso_schedule_spec *spec, const verso_breakdown *breakdowns, size_t count,
                                  verso_wide *forward_steps, verso_error *error) {
    (void)spec, (void)breakdowns, (void)count, (void)forward_steps;
    return verso_fail(error, VERSO_INVALID, "being written");
}
