/* A cascade of recursive filters of second order over a long signal. */
#include "bench/array/kernel.h"

enum { N = 20000, STAGES = 4, PERIOD = 1000 };
const size_t kernel_inputs = 5 * STAGES + PERIOD;

typedef struct filter {
    real b0, b1, b2, a1, a2;
} filter;

static filter design(const double *x) {
    return (filter){R(x[0]), R(0.5) * R(x[1]), R(0.2) * R(x[2]), R(-0.9) * R(x[3]), R(0.3) * R(x[4])};
}

static void fill(const double *x, real *signal) {
    for (int i = 0; i < N; i++)
        signal[i] = R(x[5 * STAGES + i % PERIOD]) * (i % 7 - 3);
}

static NOINLINE void run(const filter *f, const real *s, real *y) {
    real s1 = 0, s2 = 0, y1 = 0, y2 = 0;
    for (int i = 0; i < N; i++) {
        real now = f->b0 * s[i] + f->b1 * s1 + f->b2 * s2 - f->a1 * y1 - f->a2 * y2;
        s2 = s1;
        s1 = s[i];
        y2 = y1;
        y1 = now;
        y[i] = now;
    }
}

double kernel(const double *x, size_t n) {
    real *s = reals(N), *y = reals(N), sum = 0;
    (void)n;
    fill(x, s);
    for (int k = 0; k < STAGES; k++) {
        filter f = design(x + 5 * k);
        run(&f, s, y);
        real *other = s;
        s = y;
        y = other;
    }
    for (int i = 0; i < N; i++)
        sum += s[i] * s[i] * (i % 3);
    free(s);
    free(y);
    return sum;
}
