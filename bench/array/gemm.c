/* Dense matrix product C = beta C + alpha A B, rows of C by rows of B. */
#include "bench/array/square.h"

const size_t kernel_inputs = N;

static void fill(const double *x, row *a, row *b, row *c) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = R(x[i]) * (j % 7 - 3);
            b[i][j] = R(x[j]) + i % 5;
            c[i][j] = R(x[i]) * R(x[j]);
        }
}

static NOINLINE void multiply(row *c, row *a, row *b, real alpha, real beta) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            c[i][j] *= beta;
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += alpha * a[i][k] * b[k][j];
    }
}

double kernel(const double *x, size_t n) {
    row *a = square(), *b = square(), *c = square();
    (void)n;
    fill(x, a, b, c);
    multiply(c, a, b, R(1.5), R(1.2));
    double value = weighted(c) * R(1e-6);
    free(a);
    free(b);
    free(c);
    return value;
}
