/* Heat in one dimension, with a conductivity at every point; explicit, pointers swapped. */
#include "bench/array/kernel.h"

enum { N = 4096, STEPS = 200 };
const size_t kernel_inputs = N;

static void fill(const double *x, real *u, real *v, real *c) {
    for (int i = 0; i < N; i++) {
        u[i] = v[i] = R(x[i]) * (i % 7);
        c[i] = R(0.4) * R(x[i]);
    }
}

static NOINLINE void advance(const real *u, real *v, const real *c) {
    for (int i = 1; i < N - 1; i++)
        v[i] = u[i] + c[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
}

double kernel(const double *x, size_t n) {
    real *u = reals(N), *v = reals(N), *c = reals(N), sum = 0;
    (void)n;
    fill(x, u, v, c);
    for (int t = 0; t < STEPS; t++) {
        advance(u, v, c);
        real *other = u;
        u = v;
        v = other;
    }
    for (int i = 0; i < N; i++)
        sum += u[i] * u[i] * (i % 3);
    free(u);
    free(v);
    free(c);
    return sum;
}
