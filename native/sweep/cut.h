/* A sweep that is cut at chosen safepoints, with which Verso checks itself. */
#ifndef NATIVE_SWEEP_CUT_H
#define NATIVE_SWEEP_CUT_H

#include "native/run/run.h"

/* Does what verso__native_sweep does, in stretches that end at job->cuts randomly chosen safepoints. Leaves memory
 * as the run left it. */
verso_status verso__native_cut_sweep(verso__native_job *job, verso_native_report *report, verso_error *error);

#endif
