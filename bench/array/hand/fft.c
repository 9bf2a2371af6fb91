/* The adjoint of a transform is the transform in the other direction, which needs no values. Keeps the spectra before
 * the filter, and the points before the nonlinear step. */
#include "bench/array/fft.c"
#include "bench/array/hand/hand.h"

typedef struct kept {
    waves spectrum, points;
} kept;

static void reverse_bend(const waves *restrict before, waves *restrict d) {
    for (int i = 0; i < N; i++) {
        real r = before->re[i] / N, m = before->im[i] / N, a = d->re[i], b = d->im[i];
        d->re[i] = (a * (1 - R(0.2) * r) - b * R(0.1) * m) / N;
        d->im[i] = (a * R(0.05) + b * (1 - R(0.1) * r)) / N;
    }
}

static void reverse_filter(const waves *restrict before, waves *restrict d, const real *restrict by,
                           real *restrict dby) {
    for (int k = 0; k < N; k++) {
        dby[k] += d->re[k] * before->re[k] + d->im[k] * before->im[k];
        d->re[k] *= by[k];
        d->im[k] *= by[k];
    }
}

static void forward(const tables *t, waves *z, kept *k) {
    for (int round = 0; round < ROUNDS; round++, k++) {
        transform(z->re, z->im, t->cosine, t->sine, -1);
        k->spectrum = *z;
        filter(z, t->filter);
        transform(z->re, z->im, t->cosine, t->sine, 1);
        k->points = *z;
        bend(z);
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    waves *z = malloc(sizeof *z);
    tables *t = malloc(sizeof *t);
    kept *k = malloc(ROUNDS * sizeof *k);
    real sum = 0, *dfilter = zeros(N);
    (void)n;
    make_tables(x, t);
    for (int i = 0; i < N; i++) {
        z->re[i] = R(x[i]) * (i % 5 - 2);
        z->im[i] = R(x[i]) * (i % 3 - 1);
    }
    forward(t, z, k);
    for (int i = 0; i < N; i++) {
        sum += z->re[i] * z->re[i] * (i % 3) + z->im[i];
        z->re[i] *= 2 * (i % 3);
        z->im[i] = 1;
    }
    for (int round = ROUNDS - 1; round >= 0; round--) {
        reverse_bend(&k[round].points, z);
        transform(z->re, z->im, t->cosine, t->sine, -1);
        reverse_filter(&k[round].spectrum, z, t->filter, dfilter);
        transform(z->re, z->im, t->cosine, t->sine, 1);
    }
    for (int i = 0; i < N; i++) {
        int wave = i < N / 2 ? i : N - i;
        gradient[i] =
            z->re[i] * (i % 5 - 2) + z->im[i] * (i % 3 - 1) - dfilter[i] * t->filter[i] * t->filter[i] * R(1e-3) * wave;
    }
    free(z), free(t), free(k), free(dfilter);
    return sum;
}
