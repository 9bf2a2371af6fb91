/* Cholesky decomposition in place, row by row. */
#include "bench/array/square.h"

const size_t kernel_inputs = N;

static void fill(const double *x, row *a) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = R(0.01) * R(x[i]) * R(x[j]) + (i == j ? 8 : 0);
}

static NOINLINE void decompose(row *a) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
        for (int k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = sqrt(a[i][i]);
    }
}

static real weighted_triangle(row *a) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            sum += a[i][j] * weight(i, j);
    return sum;
}

double kernel(const double *x, size_t n) {
    row *a = square();
    (void)n;
    fill(x, a);
    decompose(a);
    double value = weighted_triangle(a);
    free(a);
    return value;
}
