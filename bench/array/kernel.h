/* What a kernel of bench/array is: a function of numbers, compiled twice (see bench/array/build), and their count. It
 * computes in `real`, which is double unless REAL says float; R() keeps constants from widening what is float. */
#ifndef VERSO_BENCH_ARRAY_KERNEL_H
#define VERSO_BENCH_ARRAY_KERNEL_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;
#define R(number) ((real)(number))
#define NOINLINE __attribute__((noinline))

double kernel(const double *x, size_t n);
extern const size_t kernel_inputs;

/* Returns room for `count` numbers. If there is no memory, the kernel crashes, and its row fails. */
static inline real *reals(size_t count) {
    return malloc(count * sizeof(real));
}

#endif
