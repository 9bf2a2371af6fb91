/* Implicit diffusion in one dimension: tridiagonal systems, solved by Thomas's elimination in place. */
#include "bench/array/kernel.h"

enum { N = 4000, STEPS = 50 };
const size_t kernel_inputs = N;

typedef struct tridiagonal {
    real *lower, *diagonal, *upper;
    real *c; /* what elimination makes of the upper diagonal */
    real *u; /* right side, then solution */
} tridiagonal;

static tridiagonal make(const double *x) {
    tridiagonal s = {reals(N), reals(N), reals(N), reals(N), reals(N)};
    for (int i = 0; i < N; i++) {
        s.lower[i] = R(-1.1) * R(x[i]);
        s.diagonal[i] = 1 + 2 * R(x[i]);
        s.upper[i] = R(-0.9) * R(x[i]);
        s.u[i] = R(x[i]) * (i % 5);
    }
    return s;
}

static void drop(tridiagonal *s) {
    free(s->lower);
    free(s->diagonal);
    free(s->upper);
    free(s->c);
    free(s->u);
}

static NOINLINE void solve(const real *lower, const real *diagonal, const real *upper, real *c, real *u) {
    c[0] = upper[0] / diagonal[0];
    u[0] /= diagonal[0];
    for (int i = 1; i < N; i++) {
        real m = 1 / (diagonal[i] - lower[i] * c[i - 1]);
        c[i] = upper[i] * m;
        u[i] = (u[i] - lower[i] * u[i - 1]) * m;
    }
    for (int i = N - 2; i >= 0; i--)
        u[i] -= c[i] * u[i + 1];
}

double kernel(const double *x, size_t n) {
    tridiagonal s = make(x);
    real sum = 0;
    (void)n;
    for (int t = 0; t < STEPS; t++)
        solve(s.lower, s.diagonal, s.upper, s.c, s.u);
    for (int i = 0; i < N; i++)
        sum += s.u[i] * s.u[i] * (i % 3);
    drop(&s);
    return sum;
}
