/* A gated recurrence along a sequence, as in recurrent networks that are scans: h = g h + (1 - g) v. */
#include "bench/array/kernel.h"

enum { N = 20000 };
const size_t kernel_inputs = N;

static void fill(const double *x, real *gate, real *v) {
    for (int i = 0; i < N; i++) {
        gate[i] = 1 / (1 + exp(-R(x[i]) * (i % 7 - 1)));
        v[i] = R(x[i]) * (i % 5 - 2);
    }
}

static NOINLINE void scan(const real *gate, const real *v, real *h) {
    real last = 0;
    for (int i = 0; i < N; i++) {
        last = gate[i] * last + (1 - gate[i]) * v[i];
        h[i] = last;
    }
}

double kernel(const double *x, size_t n) {
    real *gate = reals(N), *v = reals(N), *h = reals(N), sum = 0;
    (void)n;
    fill(x, gate, v);
    scan(gate, v, h);
    for (int i = 0; i < N; i++)
        sum += h[i] * h[i] * (i % 3);
    free(gate);
    free(v);
    free(h);
    return sum;
}
