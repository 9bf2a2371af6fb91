/* Upwind transport with limited slopes (minmod), in velocities of both signs. */
#include "bench/array/kernel.h"

enum { N = 2000, STEPS = 60 };
const size_t kernel_inputs = N;
static const real RATIO = R(0.4);

static inline real minmod(real a, real b) {
    return a * b > 0 ? (fabs(a) < fabs(b) ? a : b) : 0;
}

static NOINLINE void step(const real *q, const real *v, real *flux, real *next, int n) {
    for (int i = 2; i < n - 1; i++) {
        real slope = v[i] > 0 ? minmod(q[i - 1] - q[i - 2], q[i] - q[i - 1]) : minmod(q[i] - q[i - 1], q[i + 1] - q[i]);
        if (v[i] > 0)
            flux[i] = v[i] * (q[i - 1] + R(0.5) * (1 - RATIO * v[i]) * slope);
        else
            flux[i] = v[i] * (q[i] - R(0.5) * (1 + RATIO * v[i]) * slope);
    }
    for (int i = 2; i < n - 2; i++)
        next[i] = q[i] - RATIO * (flux[i + 1] - flux[i]);
}

static void fill(const double *x, real *q, real *other, real *v) {
    for (int i = 0; i < N; i++) {
        q[i] = other[i] = R(x[i]) * (i % 50 < 20);
        v[i] = sin(R(0.01) * i + R(x[i]));
    }
}

double kernel(const double *x, size_t n) {
    real *q = reals(N), *other = reals(N), *flux = reals(N), *v = reals(N), sum = 0;
    (void)n;
    fill(x, q, other, v);
    for (int t = 0; t < STEPS; t++) {
        step(q, v, flux, other, N);
        real *swap = q;
        q = other;
        other = swap;
    }
    for (int i = 0; i < N; i++)
        sum += q[i] * q[i] * (1 + i % 3);
    free(q), free(other), free(flux), free(v);
    return sum;
}
