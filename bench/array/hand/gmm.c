/* Reverses each point right after its forward run, and keeps only y for the components of that point. The adjoint of
 * the diagonal is multiplied by the derivative of the exponential at the end. */
#include "bench/array/gmm.c"
#include "bench/array/hand/hand.h"

typedef struct stretched {
    real z[K], y[K][D];
} stretched;

static real forward(const mixture *m, const real *point, stretched *s) {
    for (int k = 0; k < K; k++) {
        real square = 0;
        stretch(m, k, point, s->y[k]);
        for (int i = 0; i < D; i++)
            square += s->y[k][i] * s->y[k][i];
        s->z[k] = m->alpha[k] + m->sum[k] - R(0.5) * square;
    }
    return log_sum_exp(s->z, K);
}

/* g: adjoint of the component's z. */
static void reverse(const mixture *m, int k, const real *point, const real *restrict y, real g, mixture *restrict d) {
    real away[D], daway[D] = {0};
    const real *lower = m->lower[k];
    real *dlower = d->lower[k];
    d->alpha[k] += g;
    d->sum[k] += g;
    for (int i = 0; i < D; i++)
        away[i] = point[i] - m->mean[k][i];
    for (int i = 0; i < D; i++) {
        real dy = -g * y[i];
        d->diagonal[k][i] += dy * away[i];
        daway[i] += dy * m->diagonal[k][i];
        for (int j = 0; j < i; j++) {
            dlower[j] += dy * away[j];
            daway[j] += dy * lower[j];
        }
        lower += i, dlower += i;
    }
    for (int i = 0; i < D; i++)
        d->mean[k][i] -= daway[i];
}

static NOINLINE real both(const mixture *m, real (*points)[D], mixture *d) {
    real sum = 0, whole = log_sum_exp(m->alpha, K);
    stretched s;
    for (int p = 0; p < POINTS; p++) {
        real here = forward(m, points[p], &s);
        sum += here;
        for (int k = 0; k < K; k++)
            reverse(m, k, points[p], s.y[k], exp(s.z[k] - here), d);
    }
    for (int k = 0; k < K; k++)
        d->alpha[k] -= POINTS * exp(m->alpha[k] - whole);
    return sum - POINTS * whole;
}

static void finish(const mixture *m, const mixture *d, double *gradient) {
    for (int k = 0; k < K; k++) {
        gradient[ALPHA + k] = d->alpha[k];
        for (int i = 0; i < D; i++) {
            real q = m->diagonal[k][i];
            gradient[MEAN + k * D + i] = d->mean[k][i];
            gradient[LOGS + k * D + i] = d->sum[k] - 1 + (d->diagonal[k][i] + q) * q;
        }
        for (int i = 0; i < TRIANGLE; i++)
            gradient[LOWER + k * TRIANGLE + i] = R(0.2) * (d->lower[k][i] + m->lower[k][i]);
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    mixture *m = malloc(sizeof *m), *d = calloc(1, sizeof *d);
    real(*points)[D] = malloc(POINTS * sizeof *points);
    (void)n;
    fill(x, m);
    observe(points);
    double value = both(m, points, d);
    value += prior(m);
    finish(m, d, gradient);
    free(m), free(d), free(points);
    return value;
}
