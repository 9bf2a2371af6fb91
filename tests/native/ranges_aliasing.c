/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:30:-1:1
 * The same nests with arrays that overlap what is written, touch it, or do not: the decision to copy is made when a
 * nest is entered. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

/* c may be a or b, or overlap them. */
static NOINLINE void product(double *c, const double *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += 0.1 * a[i * n + k] * b[k * n + j];
}

static NOINLINE void convolve(double *y, const double *x, const double *taps, size_t n, size_t count) {
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += taps[k] * x[i + k];
        y[i] = sum;
    }
}

static NOINLINE void scale(double *restrict y, const double *restrict x, const double *restrict by, size_t n) {
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < n; i++)
            y[i] = y[i] * 0.5 + x[i] * by[t % n];
}

static double global[64], other[64];

static NOINLINE void with_globals(const double *x, size_t n) {
    for (size_t t = 0; t < 6; t++)
        for (size_t i = 0; i < n && i < 64; i++)
            global[i] = global[i] * other[i] + x[i] * other[(i + t) % 8];
}

static double total(const double *a, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * (double)(i % 7 + 1);
    return sum;
}

double f(const double *x, size_t n) {
    size_t square = n * n;
    double *all = malloc(4 * square * sizeof *all), sum;
    for (size_t i = 0; i < 4 * square; i++)
        all[i] = x[i % n] * (double)(i % 5) * 0.2;
    double *a = all, *b = all + square, *c = all + 2 * square;
    product(c, a, b, n);     /* neighbours */
    product(c, c, b, n);     /* in place */
    product(c, a, c - 1, n); /* one number too near */
    product(c, c - square, c + square, n);
    product(all, all + 1, all + 2, n);
    product(a, x, b, n < 2 ? n : 2); /* the caller's memory */
    sum = total(all, 4 * square);
    convolve(c, a, b, square / 2, n);
    convolve(c, c, b, square / 2, n);
    convolve(c, a, c + n, square / 2, n);
    scale(a, b, c, square);
    for (size_t i = 0; i < 64; i++) {
        global[i] = x[i % n];
        other[i] = x[(3 * i) % n] * 0.5;
    }
    with_globals(a, square);
    with_globals(global, 64);
    sum += total(all, 4 * square) + total(global, 64);
    free(all);
    return sum;
}
