/* Each step writes into a row of its own. The adjoint of a point is the sum of contributions of its neighbours; d has
 * zeros at its ends, whose adjoints are summed separately. */
#include "bench/array/heat1d.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(const real *restrict u, const real *restrict c, const real *restrict d, real *restrict e,
                             real *restrict dc) {
    for (int i = 1; i < N - 1; i++) {
        dc[i] += d[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
        e[i] = d[i] * (1 - 2 * c[i]) + d[i - 1] * c[i - 1] + d[i + 1] * c[i + 1];
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *u = reals((size_t)(STEPS + 1) * N), *c = reals(N), *d = zeros(N), *e = zeros(N), *dc = zeros(N);
    real *last = u + STEPS * N, sum = 0, left, right;
    fill(x, u, u + N, c);
    for (int t = 0; t < STEPS; t++) {
        real *from = u + t * N, *to = from + N;
        advance(from, to, c);
        to[0] = from[0];
        to[N - 1] = from[N - 1];
    }
    for (int i = 0; i < N; i++) {
        sum += last[i] * last[i] * (i % 3);
        d[i] = 2 * last[i] * (i % 3);
    }
    left = d[0], right = d[N - 1];
    d[0] = d[N - 1] = 0;
    for (int t = STEPS - 1; t >= 0; t--) {
        left += c[1] * d[1];
        right += c[N - 2] * d[N - 2];
        reverse(u + t * N, c, d, e, dc);
        real *other = d;
        d = e;
        e = other;
    }
    d[0] = left, d[N - 1] = right;
    for (size_t i = 0; i < n; i++)
        gradient[i] = d[i] * (i % 7) + R(0.4) * dc[i];
    free(u), free(c), free(d), free(e), free(dc);
    return sum;
}
