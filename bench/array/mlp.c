/* Sixty layers of a perceptron that share one matrix. */
#include "bench/array/square.h"

enum { LAYERS = 60 };
const size_t kernel_inputs = N;

static NOINLINE void layer(row *w, const real *x, real *y) {
    for (int i = 0; i < N; i++) {
        real sum = 0;
        for (int j = 0; j < N; j++)
            sum += w[i][j] * x[j];
        y[i] = tanh(sum);
    }
}

double kernel(const double *x, size_t n) {
    row *w = square();
    real *u = reals(N), *v = reals(N), sum = 0;
    (void)n;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            w[i][j] = R(0.4) * sin(i * R(3.1) + j * j) * R(x[j]);
    for (int i = 0; i < N; i++)
        u[i] = R(x[i]);
    for (int t = 0; t < LAYERS; t++) {
        layer(w, u, v);
        real *other = u;
        u = v;
        v = other;
    }
    for (int i = 0; i < N; i++)
        sum += u[i] * u[i];
    free(w);
    free(u);
    free(v);
    return sum;
}
