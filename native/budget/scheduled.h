/* The sweep within a memory budget, or by a schedule. */
#ifndef NATIVE_BUDGET_SCHEDULED_H
#define NATIVE_BUDGET_SCHEDULED_H

#include "native/sweep/sweep.h"

/* Does what verso__native_sweep does, as options->run says. Leaves memory as the run left it; after a failure or a
 * suspension, as it was before. */
verso_status verso__native_scheduled_sweep(const verso_native_options *options, verso_native_report *report,
                                           verso_error *error);

#endif
