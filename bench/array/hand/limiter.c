/* Keeps the field of each step. The two ends are never written, so the buffers that are swapped hold the same there. */
#include "bench/array/limiter.c"
#include "bench/array/hand/hand.h"

/* d: of the next field, then of this one. */
static NOINLINE void backward(const real *restrict q, const real *restrict v, real *restrict d, real *restrict dflux,
                              real *restrict dv, int n) {
    dflux[2] = RATIO * d[2];
    for (int i = 3; i < n - 2; i++)
        dflux[i] = RATIO * (d[i] - d[i - 1]);
    dflux[n - 2] = -RATIO * d[n - 3];
    for (int i = 2; i < n - 1; i++) {
        int up = v[i] > 0;
        real a = up ? q[i - 1] - q[i - 2] : q[i] - q[i - 1], b = up ? q[i] - q[i - 1] : q[i + 1] - q[i];
        real slope = minmod(a, b), sign = up ? 1 : -1, base = up ? q[i - 1] : q[i], f = dflux[i];
        real part = R(0.5) * (sign - RATIO * v[i]), dslope = f * v[i] * part, dbase = f * v[i];
        real da = a * b > 0 && fabs(a) < fabs(b) ? dslope : 0, db = a * b > 0 && fabs(a) >= fabs(b) ? dslope : 0;
        dv[i] += f * (base + part * slope) - f * v[i] * R(0.5) * RATIO * slope;
        if (up) {
            d[i - 2] -= da;
            d[i - 1] += dbase + da - db;
            d[i] += db;
        } else {
            d[i - 1] -= da;
            d[i] += dbase + da - db;
            d[i + 1] += db;
        }
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *q = reals((STEPS + 1) * (size_t)N), *flux = reals(N), *v = reals(N), *d = reals(N), *dv = zeros(N), sum = 0;
    (void)n;
    fill(x, q, q + N, v);
    for (int t = 0; t < STEPS; t++) {
        real *at = q + t * (size_t)N, *next = at + N;
        step(at, v, flux, next, N);
        for (int k = 0; k < 2; k++) {
            next[k] = at[k];
            next[N - 1 - k] = at[N - 1 - k];
        }
    }
    const real *last = q + STEPS * (size_t)N;
    for (int i = 0; i < N; i++) {
        sum += last[i] * last[i] * (1 + i % 3);
        d[i] = 2 * last[i] * (1 + i % 3);
    }
    for (int t = STEPS - 1; t >= 0; t--)
        backward(q + t * (size_t)N, v, d, flux, dv, N);
    for (int i = 0; i < N; i++)
        gradient[i] = d[i] * (i % 50 < 20) + dv[i] * cos(R(0.01) * i + R(x[i]));
    free(q), free(flux), free(v), free(d), free(dv);
    return sum;
}
