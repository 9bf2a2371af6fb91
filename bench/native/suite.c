/* See suite.h. */
#include "bench/native/suite.h"
#include "bench/native/adolc.h"
#include "bench/native/kernels.h"
#include "bench/native/operations.h"
#include "bench/support/child.h"
#include "bench/support/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kernels compiled by clang, with names that begin with plain_ (see bench/native/build). */
double plain_listing1(const double *x, int n, int t);
double plain_det(const double *x, int n, int t);
double plain_heat(const double *x, int n, int t);
double plain_nbody(const double *x, int n, int t);
double plain_lorenz(const double *x, int n, int t);
double plain_sparse(const double *x, int n, int t);
double plain_rec(const double *x, int n, int t);

const bench_kernel bench_kernels[BENCH_KERNELS] = {
    {"listing1", plain_listing1, listing1, operations_listing1, {1, 100000, 0}},
    {"det", plain_det, det, operations_det, {40000, 200, 0}},
    {"heat", plain_heat, heat, operations_heat, {4096, 200, 0}},
    {"nbody", plain_nbody, nbody, operations_nbody, {700, 60, 0}},
    {"lorenz", plain_lorenz, lorenz, operations_lorenz, {6, 50000, 0}},
    {"sparse", plain_sparse, sparse, operations_sparse, {100000, 4, 0}},
    {"rec", plain_rec, rec, operations_rec, {4, 14, 40000}},
};

/* The prototype's inputs. */
double *bench_inputs(const bench_kernel *kernel, const bench_size *size) {
    int n = size->n, t = size->t;
    double *x = bench_alloc((size_t)n, sizeof *x);
    srand(1);
    for (int i = 0; i < n; i++)
        x[i] = 0.5 + 0.5 * rand() / RAND_MAX;
    if (strcmp(kernel->name, "listing1") == 0)
        x[0] = 1.1;
    if (strcmp(kernel->name, "det") == 0) {
        for (int i = 0; i < t; i++)
            x[i * t + i] += 0.025 * t + 2;
        for (int i = 0; i < n; i++)
            x[i] /= t / 40.0 + 2.75;
    }
    if (strcmp(kernel->name, "nbody") == 0)
        for (int i = 0; i < 3 * n / 7; i++)
            x[i] *= 4;
    if (strcmp(kernel->name, "lorenz") == 0)
        memcpy(x, (const double[]){1, 2, 3, 10, 28, 8.0 / 3}, 6 * sizeof *x);
    if (strcmp(kernel->name, "rec") == 0)
        memcpy(x, (const double[]){1, size->frequency, 0.3, 0.1}, 4 * sizeof *x);
    return x;
}

/* ---- Ours ------------------------------------------------------------------------------------------------------- */

typedef struct call {
    bench_kernel_function function;
    const double *x;
    double value;
    int n, t;
} call;

static void run(void *context) {
    call *c = context;
    c->value = c->function(c->x, c->n, c->t);
}

verso_status bench_gradient(const bench_kernel *kernel, const bench_size *size, double *x, double *gradient,
                            const verso_native_options *options, verso_native_report *report, verso_error *error) {
    double one = 1;
    call c = {kernel->ours, x, 0, size->n, size->t};
    verso_array in = {x, (size_t)size->n, VERSO_SCALAR_DOUBLE, gradient},
                out = {&c.value, 1, VERSO_SCALAR_DOUBLE, &one};
    verso_status status = verso_vjp(run, &c, &in, 1, &out, 1, options, report, error);
    report->value = c.value;
    return status;
}

/* ---- Beside it -------------------------------------------------------------------------------------------------- */

double bench_time_plain(const bench_kernel *kernel, const bench_size *size, const double *x, double *value) {
    double began = bench_seconds();
    *value = kernel->plain(x, size->n, size->t);
    return bench_seconds() - began;
}

double bench_time_advance(const bench_kernel *kernel, const bench_size *size, const double *x, double *value) {
    call c = {kernel->ours, x, 0, size->n, size->t};
    verso_array region = {&c.value, 1, VERSO_SCALAR_DOUBLE, &c.value};
    verso_execution *execution = NULL;
    verso_error error;
    bool ended = false;
    if (verso_execution_open(run, &c, &region, 1, &execution, &error) != VERSO_STATUS_OK)
        bench_fail("%s: %s", kernel->name, error.message);
    double began = bench_seconds();
    if (verso_execution_run(execution, UINT64_MAX, NULL, &ended, &error) != VERSO_STATUS_OK || !ended)
        bench_fail("%s: %s", kernel->name, error.message);
    double seconds = bench_seconds() - began;
    verso_execution_close(execution);
    *value = c.value;
    return seconds;
}

bool bench_adolc(const bench_kernel *kernel, const bench_size *size, const double *x, double *gradient,
                 double *tape_bytes) {
#ifdef BENCH_ADOLC
    adolc_gradient((int)(kernel - bench_kernels), x, size->n, size->t, gradient, tape_bytes);
    return true;
#else
    (void)kernel, (void)size, (void)x, (void)gradient, (void)tape_bytes;
    return false;
#endif
}
