/* One loop adds to the adjoints of both vectors. */
#include "bench/array/dot.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(real d, const real *restrict u, const real *restrict v, real *restrict du,
                             real *restrict dv) {
    for (int i = 0; i < N; i++) {
        du[i] += d * v[i];
        dv[i] += d * u[i];
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *u = reals(N + SHIFTS), *v = reals(N), *du = zeros(N + SHIFTS), *dv = zeros(N), p[TIMES], sum = 0;
    fill(x, u, v);
    for (int t = 0; t < TIMES; t++) {
        p[t] = product(u + t % SHIFTS, v);
        sum += p[t] * p[t] * R(1e-4);
    }
    for (int t = TIMES - 1; t >= 0; t--)
        reverse(R(2e-4) * p[t], u + t % SHIFTS, v, du + t % SHIFTS, dv);
    for (size_t i = 0; i < n; i++)
        gradient[i] = du[i] * ((int)i % 5 - 2) + (i < N ? dv[i] * ((int)i % 3 - 1) : 0);
    free(u), free(v), free(du), free(dv);
    return sum;
}
