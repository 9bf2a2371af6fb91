/* The sweep of a gradient: in a single pass, cut, within a budget, or with checkpointed calls. */
#ifndef NATIVE_API_CHOOSE_H
#define NATIVE_API_CHOOSE_H

#include "native/sweep/sweep.h"

/* Runs a sweep in a single pass, with checkpointed calls. `tree` gets the call tree; NULL: none. */
verso_status verso__native_calls_sweep(verso__native_job *job, const verso_native_options *options,
                                       verso__calltree *tree, verso_native_report *report, verso_error *error);
/* Records and reverses the job as the options say. Afterwards the cells of `wrt` hold the derivatives. */
verso_status verso__native_sweep(verso__native_job *job, const verso_native_options *options,
                                 verso_native_report *report, verso_error *error);

#endif
