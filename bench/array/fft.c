/* A spectral method: fast Fourier transforms (radix 2, in place), a filter of the spectrum, back, and a nonlinear step
 * between the points, several times. */
#include "bench/array/kernel.h"

enum { LOG = 12, N = 1 << LOG, ROUNDS = 8 };
const size_t kernel_inputs = N;

typedef struct waves {
    real re[N], im[N];
} waves;

typedef struct tables {
    real cosine[N / 2], sine[N / 2], filter[N];
} tables;

static void make_tables(const double *x, tables *t) {
    for (int k = 0; k < N / 2; k++) {
        t->cosine[k] = cos(R(6.283185307179586) * k / N);
        t->sine[k] = sin(R(6.283185307179586) * k / N);
    }
    for (int k = 0; k < N; k++) {
        int wave = k < N / 2 ? k : N - k;
        t->filter[k] = 1 / (1 + R(1e-3) * R(x[k]) * wave);
    }
}

static void reorder(real *re, real *im) {
    for (unsigned i = 0, j = 0; i < N; i++) {
        if (i < j) {
            real r = re[i], m = im[i];
            re[i] = re[j], im[i] = im[j];
            re[j] = r, im[j] = m;
        }
        unsigned bit = N / 2;
        for (; bit > 0 && (j & bit); bit /= 2)
            j ^= bit;
        j |= bit;
    }
}

/* sign: -1 forward, 1 back (without the division by N). */
static NOINLINE void transform(real *re, real *im, const real *cosine, const real *sine, real sign) {
    reorder(re, im);
    for (int half = 1; half < N; half *= 2)
        for (int from = 0; from < N; from += 2 * half)
            for (int k = 0; k < half; k++) {
                int a = from + k, b = a + half, w = k * (N / 2 / half);
                real s = sign * sine[w], r = cosine[w] * re[b] - s * im[b], m = cosine[w] * im[b] + s * re[b];
                re[b] = re[a] - r;
                im[b] = im[a] - m;
                re[a] += r;
                im[a] += m;
            }
}

static void filter(waves *z, const real *by) {
    for (int k = 0; k < N; k++) {
        z->re[k] *= by[k];
        z->im[k] *= by[k];
    }
}

static void bend(waves *z) {
    for (int i = 0; i < N; i++) {
        real r = z->re[i] / N, m = z->im[i] / N;
        z->re[i] = r - R(0.1) * r * r + R(0.05) * m;
        z->im[i] = m - R(0.1) * r * m;
    }
}

double kernel(const double *x, size_t n) {
    waves *z = malloc(sizeof *z);
    tables *t = malloc(sizeof *t);
    real sum = 0;
    (void)n;
    make_tables(x, t);
    for (int i = 0; i < N; i++) {
        z->re[i] = R(x[i]) * (i % 5 - 2);
        z->im[i] = R(x[i]) * (i % 3 - 1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        transform(z->re, z->im, t->cosine, t->sine, -1);
        filter(z, t->filter);
        transform(z->re, z->im, t->cosine, t->sine, 1);
        bend(z);
    }
    for (int i = 0; i < N; i++)
        sum += z->re[i] * z->re[i] * (i % 3) + z->im[i];
    free(z);
    free(t);
    return sum;
}
