/* Profiles of checkpointed calls. */
#ifndef NATIVE_API_PROFILE_H
#define NATIVE_API_PROFILE_H

#include "native/sweep/sweep.h"

/* Completes the profile with the memory of the gradient, after report->peak_bytes is final. No-op without a
 * profile. */
void verso__native_profile_settle(const verso_native_options *options, const verso_native_report *report);
/* Does what verso__native_sweep does if options->profile is not NULL: computes a gradient with every site on,
 * and sets *options->profile. Returns VERSO_STATUS_SUSPENDED if a limit has cut the profile. */
verso_status verso__native_profile_sweep(verso__native_job *job, const verso_native_options *options,
                                         verso_native_report *report, verso_error *error);

#endif
