/* Burgers' equation on a ring: weighted reconstruction of fifth order (WENO), Runge-Kutta steps of third order. */
#include "bench/array/kernel.h"

enum { N = 400, GHOSTS = 3, ROOM = N + 2 * GHOSTS, STEPS = 20 };
const size_t kernel_inputs = N;
#define LITTLE R(1e-4)
#define WIDTH (R(1) / N)
#define STEP (R(0.3) * WIDTH)

static real squared(real x) {
    return x * x;
}

/* The value between c and d. */
static real reconstruct(real a, real b, real c, real d, real e) {
    real p0 = (2 * a - 7 * b + 11 * c) / 6, p1 = (-b + 5 * c + 2 * d) / 6, p2 = (2 * c + 5 * d - e) / 6;
    real b0 = R(13) / 12 * squared(a - 2 * b + c) + R(0.25) * squared(a - 4 * b + 3 * c);
    real b1 = R(13) / 12 * squared(b - 2 * c + d) + R(0.25) * squared(b - d);
    real b2 = R(13) / 12 * squared(c - 2 * d + e) + R(0.25) * squared(3 * c - 4 * d + e);
    real w0 = R(0.1) / squared(b0 + LITTLE), w1 = R(0.6) / squared(b1 + LITTLE), w2 = R(0.3) / squared(b2 + LITTLE);
    return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2);
}

static NOINLINE void rate(real *u, real *flux, real *k) {
    for (int g = 0; g < GHOSTS; g++) {
        u[g] = u[N + g];
        u[N + GHOSTS + g] = u[GHOSTS + g];
    }
    for (int i = 0; i <= N; i++) {
        const real *at = u + i + GHOSTS - 1;
        flux[i] = R(0.5) * squared(reconstruct(at[-2], at[-1], at[0], at[1], at[2]));
    }
    for (int i = 0; i < N; i++)
        k[i] = (flux[i] - flux[i + 1]) / WIDTH;
}

static void step(real *u, real *v, real *flux, real *k) {
    rate(u, flux, k);
    for (int i = 0; i < N; i++)
        v[GHOSTS + i] = u[GHOSTS + i] + STEP * k[i];
    rate(v, flux, k);
    for (int i = 0; i < N; i++)
        v[GHOSTS + i] = R(0.75) * u[GHOSTS + i] + R(0.25) * (v[GHOSTS + i] + STEP * k[i]);
    rate(v, flux, k);
    for (int i = 0; i < N; i++)
        u[GHOSTS + i] = u[GHOSTS + i] / 3 + R(2) / 3 * (v[GHOSTS + i] + STEP * k[i]);
}

double kernel(const double *x, size_t n) {
    real *u = calloc(ROOM, sizeof *u), *v = calloc(ROOM, sizeof *v), *flux = reals(N + 1), *k = reals(N), sum = 0;
    (void)n;
    for (int i = 0; i < N; i++)
        u[GHOSTS + i] = R(0.5) + R(0.2) * R(x[i]);
    for (int t = 0; t < STEPS; t++)
        step(u, v, flux, k);
    for (int i = 0; i < N; i++)
        sum += u[GHOSTS + i] * u[GHOSTS + i] * (i % 3);
    free(u);
    free(v);
    free(flux);
    free(k);
    return sum;
}
