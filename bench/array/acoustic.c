/* Misfit of two shots of a seismic survey: an acoustic wave in two dimensions, of fourth order, with a sponge along the
 * border. The time loop swaps two wave fields beside a velocity model that stays. */
#include "bench/array/kernel.h"

enum { WIDTH = 120, DEPTH = 80, SHOTS = 2, STEPS = 60, RECEIVERS = 20, SPONGE = 15, ALOFT = 4 };
const size_t kernel_inputs = WIDTH * DEPTH;

typedef struct medium {
    real *speed;  /* squared, times the square of the time step */
    real *sponge; /* factors */
    int width, depth;
} medium;

static void fill(const double *x, medium *m) {
    for (int z = 0; z < m->depth; z++)
        for (int i = 0; i < m->width; i++) {
            int edge = i < z ? i : z;
            edge = m->width - 1 - i < edge ? m->width - 1 - i : edge;
            edge = m->depth - 1 - z < edge ? m->depth - 1 - z : edge;
            int inside = edge < SPONGE ? SPONGE - edge : 0;
            m->sponge[z * m->width + i] = exp(R(-0.0004) * inside * inside);
            m->speed[z * m->width + i] = R(0.08) + R(0.001) * z + R(0.02) * R(x[z * m->width + i]);
        }
}

static real around(const real *p, int width) {
    return (16 * (p[-1] + p[1] + p[-width] + p[width]) - p[-2] - p[2] - p[-2 * width] - p[2 * width] - 60 * p[0]) *
           R(1.0 / 12);
}

static real source(int t) {
    real a = R(0.3) * (t - 12);
    return (1 - 2 * a * a) * exp(-a * a);
}

static real expected(int t, int k) {
    return R(0.01) * sin(R(0.3) * t + k);
}

double kernel(const double *x, size_t n) {
    medium m = {reals(n), reals(n), WIDTH, DEPTH};
    real *now = reals(n), *next = reals(n);
    double misfit = 0;
    fill(x, &m);
    for (int shot = 0; shot < SHOTS; shot++) {
        memset(now, 0, n * sizeof *now);
        memset(next, 0, n * sizeof *next);
        for (int t = 0; t < STEPS; t++) {
            for (int z = 2; z < m.depth - 2; z++)
                for (int i = 2; i < m.width - 2; i++) {
                    int at = z * m.width + i;
                    real s = m.sponge[at];
                    next[at] = s * (2 * now[at] - s * next[at] + m.speed[at] * around(now + at, m.width));
                }
            next[(ALOFT + 1) * m.width + 30 + 40 * shot] += source(t);
            real *swapped = now;
            now = next;
            next = swapped;
            for (int k = 0; k < RECEIVERS; k++) {
                real off = now[ALOFT * m.width + 10 + 5 * k] - expected(t, k);
                misfit += R(0.5) * off * off;
            }
        }
    }
    free(m.speed), free(m.sponge), free(now), free(next);
    return misfit;
}
