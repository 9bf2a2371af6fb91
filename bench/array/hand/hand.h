/* What a hand-written adjoint is: the value of the kernel, and its gradient. A file of bench/array/hand includes its
 * kernel for the types and the forward code. The helpers are those that experts write where a compiler may not reorder
 * sums: several partial sums, and `restrict`. */
#ifndef VERSO_BENCH_ARRAY_HAND_H
#define VERSO_BENCH_ARRAY_HAND_H

#include "bench/array/kernel.h"

double hand_gradient(const double *x, size_t n, double *gradient);

static inline real *zeros(size_t count) {
    return calloc(count, sizeof(real));
}

enum { LANES = 16 };

static inline real inner_product(const real *restrict a, const real *restrict b, int n) {
    real part[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            part[k] += a[i + k] * b[i + k];
    for (int k = 0; k < LANES; k++)
        sum += part[k];
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline real total(const real *a, int n) {
    real part[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            part[k] += a[i + k];
    for (int k = 0; k < LANES; k++)
        sum += part[k];
    for (; i < n; i++)
        sum += a[i];
    return sum;
}

/* y += a x */
static inline void add_scaled(real a, const real *restrict x, real *restrict y, int n) {
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

#endif
