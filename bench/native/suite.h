/* The seven kernels as a table, their inputs, and their gradients, for bench/native and bench/native_budget. */
#ifndef VERSO_BENCH_NATIVE_SUITE_H
#define VERSO_BENCH_NATIVE_SUITE_H

#include <verso/native.h>

typedef double (*bench_kernel_function)(const double *x, int n, int t);

/* The length of a run. */
typedef struct bench_size {
    int n, t;
    double frequency; /* of the function that `rec` integrates; other kernels: 0 */
} bench_size;

typedef struct bench_kernel {
    const char *name;
    bench_kernel_function plain;      /* the source compiled by clang-19 -O2 */
    bench_kernel_function ours;       /* the same, compiled by `verso cc -O2` */
    bench_kernel_function operations; /* returns the number of floating-point operations */
    bench_size brief;                 /* a run whose tape ADOL-C can hold in memory */
} bench_kernel;

enum { BENCH_KERNELS = 7 };

/* In the order of kernels.h. */
extern const bench_kernel bench_kernels[BENCH_KERNELS];

/* Returns the inputs; the caller frees them. */
double *bench_inputs(const bench_kernel *kernel, const bench_size *size);

/* Computes the gradient of kernel->ours at x; report->value is its value. */
verso_status bench_gradient(const bench_kernel *kernel, const bench_size *size, double *x, double *gradient,
                            const verso_native_options *options, verso_native_report *report, verso_error *error);

/* Returns the seconds of one run compiled by clang, and sets its value. */
double bench_time_plain(const bench_kernel *kernel, const bench_size *size, const double *x, double *value);

/* The same for kernel->ours, run without recording in a way that could be interrupted anywhere. */
double bench_time_advance(const bench_kernel *kernel, const bench_size *size, const double *x, double *value);

/* Computes ADOL-C's gradient at x and the size of its tape. Returns false if ADOL-C is not installed. */
bool bench_adolc(const bench_kernel *kernel, const bench_size *size, const double *x, double *gradient,
                 double *tape_bytes);

#endif
