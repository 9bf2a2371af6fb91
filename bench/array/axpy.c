/* y += a x, many times with other numbers a. */
#include "bench/array/kernel.h"

enum { N = 2048, TIMES = 500 };
const size_t kernel_inputs = N;

static void fill(const double *x, real *u, real *y) {
    for (int i = 0; i < N; i++) {
        u[i] = R(x[i]) * (i % 5 - 2);
        y[i] = R(x[i]);
    }
}

static NOINLINE void add(real a, const real *x, real *y) {
    for (int i = 0; i < N; i++)
        y[i] += a * x[i];
}

double kernel(const double *x, size_t n) {
    real *u = reals(N), *y = reals(N), sum = 0;
    (void)n;
    fill(x, u, y);
    for (int t = 0; t < TIMES; t++)
        add(R(0.01) * R(x[t]), u, y);
    for (int i = 0; i < N; i++)
        sum += y[i] * y[i] * (i % 3);
    free(u);
    free(y);
    return sum;
}
