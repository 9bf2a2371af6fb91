/* Inner products of a vector with another one that is moved along. */
#include "bench/array/kernel.h"

enum { N = 2048, SHIFTS = 64, TIMES = 500 };
const size_t kernel_inputs = N + SHIFTS;

static void fill(const double *x, real *u, real *v) {
    for (int i = 0; i < N + SHIFTS; i++)
        u[i] = R(x[i]) * (i % 5 - 2);
    for (int i = 0; i < N; i++)
        v[i] = R(x[i]) * (i % 3 - 1);
}

static NOINLINE real product(const real *u, const real *v) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        sum += u[i] * v[i];
    return sum;
}

double kernel(const double *x, size_t n) {
    real *u = reals(N + SHIFTS), *v = reals(N), sum = 0;
    (void)n;
    fill(x, u, v);
    for (int t = 0; t < TIMES; t++) {
        real p = product(u + t % SHIFTS, v);
        sum += p * p * R(1e-4);
    }
    free(u);
    free(v);
    return sum;
}
