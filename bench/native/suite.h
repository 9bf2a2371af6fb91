/* The seven kernels as a table, their inputs, and their gradients: what bench/native and bench/native_budget share. */
#ifndef VERSO_BENCH_NATIVE_SUITE_H
#define VERSO_BENCH_NATIVE_SUITE_H

#include <verso/native.h>

typedef double (*bench_kernel_function)(const double *x, int n, int t);

/* How long a run is. */
typedef struct bench_size {
    int n, t;
    double frequency; /* of what `rec` integrates: the higher, the more often it divides an interval. Others: 0 */
} bench_size;

typedef struct bench_kernel {
    const char *name;
    bench_kernel_function plain;      /* the untouched source, compiled by clang-19 -O2 */
    bench_kernel_function ours;       /* the same, compiled by `verso cc -O2` */
    bench_kernel_function operations; /* how many floating-point operations it does */
    bench_size brief;                 /* a run whose tape ADOL-C can hold in memory */
} bench_kernel;

enum { BENCH_KERNELS = 7 };

/* In the order of kernels.h. */
extern const bench_kernel bench_kernels[BENCH_KERNELS];

/* To be freed. */
double *bench_inputs(const bench_kernel *kernel, const bench_size *size);

/* The gradient of kernel->ours at x; its value is report->value. */
verso_status bench_gradient(const bench_kernel *kernel, const bench_size *size, double *x, double *gradient,
                            const verso_native_options *options, verso_native_report *report);

/* Seconds of one run compiled by clang, and its value. */
double bench_time_plain(const bench_kernel *kernel, const bench_size *size, const double *x, double *value);

/* The same of kernel->ours when it is not recorded but could be interrupted anywhere. */
double bench_time_advance(const bench_kernel *kernel, const bench_size *size, const double *x, double *value);

/* ADOL-C's gradient at x, where it is installed, and how long its tape is. False: it is not. */
bool bench_adolc(const bench_kernel *kernel, const bench_size *size, const double *x, double *gradient,
                 double *tape_bytes);

#endif
