/* Derivatives of compiled functions: what verso_gradient, verso_vjp, verso_jvp and verso_check share. */
#ifndef NATIVE_API_DERIVE_H
#define NATIVE_API_DERIVE_H

#include "native/run/run.h"

/* Begins a differentiation: checks the job, reserves memory, installs the fault handler. Returns
 * VERSO_STATUS_STATE if another differentiation runs. After a success, verso__native_leave must be called. */
verso_status verso__native_enter(verso__native_job *job, verso_error *error);
/* Ends the differentiation. */
void verso__native_leave(void);
/* Returns true while a differentiation runs. */
bool verso__native_is_busy(void);

/* Run the job without derivatives, in tangent mode, and in reverse mode. To be called between
 * verso__native_enter and verso__native_leave. Derivatives are written to the arrays last of all. */
verso_status verso__native_plain(verso__native_job *job, verso_error *error);
verso_status verso__native_tangent(verso__native_job *job, verso_native_report *report, verso_error *error);
verso_status verso__native_reverse(verso__native_job *job, const verso_native_options *options,
                                   verso_native_report *report, verso_error *error);

/* Returns VERSO_STATUS_INVALID if job->product has what cannot be followed: bits of a number that were changed. */
verso_status verso__native_product_check(const verso__native_job *job, verso_error *error);
/* Computes the gradient of the job's f, and the derivative of the gradient along job->direction if that is not NULL.
 * Checks `options` and `report`, which may be NULL, as the public functions do. */
verso_status verso__native_differentiate(verso__native_job *job, const verso_native_options *options,
                                         verso_native_report *report, verso_error *error);

/* For tests: the next gradient's reverse sweep is cut (verso__native_job), and environment variables are ignored. */
void verso__native_cut_next(uint64_t cuts, uint64_t seed);

#endif
