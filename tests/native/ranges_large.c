/* at: 1.1,-0.4
 * cuts: 12
 * noise: 1e-10
 * A nest whose numbers take more tape than a leaf, so that they are recorded use by use, and one that is copied in many
 * blocks of iterations, between which the run is cut. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

enum { LONG = 70000, WIDE = 300, TIMES = 3 };

static NOINLINE void filter(const double *a, const double *b, double *c, long n, long times) {
    for (long t = 0; t < times; t++)
        for (long i = 0; i < n; i++)
            c[i] += a[i] * b[i] * (double)(t + 1);
}

static NOINLINE void outer(const double *a, const double *b, double *c, long n) {
    for (long i = 0; i < n; i++)
        for (long t = 0; t < 8; t++) {
            double sum = 0;
            for (long k = 0; k < WIDE; k++)
                sum += a[k] * b[k];
            c[i] = c[i] * 0.5 + sum * (double)t;
        }
}

double f(const double *x, size_t n) {
    double *a = malloc(LONG * sizeof *a), *b = malloc(LONG * sizeof *b), *c = calloc(LONG, sizeof *c), sum = 0;
    for (long i = 0; i < LONG; i++) {
        a[i] = x[(size_t)i % n] * (double)(i % 3);
        b[i] = x[(size_t)(i + 1) % n] + (double)(i % 2);
    }
    filter(a, b, c, LONG, TIMES);
    outer(a, b, c, 700);
    for (long i = 0; i < LONG; i++)
        sum += c[i] * (double)(i % 5) * 1e-5;
    free(a);
    free(b);
    free(c);
    return sum;
}
