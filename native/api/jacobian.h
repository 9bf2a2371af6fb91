/* Runs of one function in tangent and in reverse mode from the same state: what dense and sparse Jacobians share, and
 * Hessians, which are the Jacobians of gradients. */
#ifndef NATIVE_API_JACOBIAN_H
#define NATIVE_API_JACOBIAN_H

#include "native/api/api.h"

#include <verso/jacobian.h>

typedef struct verso__jacobian {
    verso__native_job job;
    verso_array *wrt, *of; /* copies of the caller's, whose derivatives point to `direction` and `result` */
    size_t rows, columns;
    double *gradient;      /* of a Hessian: scratch */
    double *across, *down; /* as many numbers as columns, as rows */
    char *data;            /* bytes of regions that capsules do not hold, at the beginning */
    verso__native_capsule start;
    verso_jacobian_options options;
    verso_jacobian_report *report;
    verso_error *error;
} verso__jacobian;

/* Returns true if the matrix is a Hessian: job.f is the function, and the mode is always that of columns. */
bool verso__jacobian_is_hessian(const verso__jacobian *j);
/* down = J across, and across = down J. The first run begins in the state that the program is in, and each later one,
 * too. */
verso_status verso__jacobian_tangent(verso__jacobian *j);
verso_status verso__jacobian_reverse(verso__jacobian *j);
/* Returns the mode to use if the columns take that many runs, and the rows this many. */
verso_jacobian_mode verso__jacobian_mode(const verso__jacobian *j, size_t columns, size_t rows);

/* Does `work` between entering and leaving a differentiation. Results are written to the caller's memory by `end`,
 * which runs last if `work` has succeeded, because runs restore that memory. */
typedef struct verso__jacobian_task {
    verso_status (*work)(verso__jacobian *j, void *context);
    void (*end)(verso__jacobian *j, void *context);
    void *context;
} verso__jacobian_task;
verso_status verso__jacobian_do(const verso__native_job *job, const verso_jacobian_options *options,
                                verso_jacobian_report *report, const verso__jacobian_task *task, verso_error *error);

/* The matrices themselves: of job->run, or the Hessian of job->f. */
verso_status verso__jacobian_dense(const verso__native_job *job, double *matrix, const verso_jacobian_options *options,
                                   verso_jacobian_report *report, verso_error *error);
verso_status verso__jacobian_sparse(const verso__native_job *job, verso_sparse **matrix,
                                    const verso_jacobian_options *options, verso_jacobian_report *report,
                                    verso_error *error);

#endif
