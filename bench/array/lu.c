/* LU decomposition in place, row by row, without pivots. */
#include "bench/array/square.h"

const size_t kernel_inputs = N;

static void fill(const double *x, row *a) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = R(x[i]) * R(0.01) * (j % 7) + R(0.02) * R(x[j]) + (i == j ? 8 : 0);
}

static NOINLINE void decompose(row *a) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < N; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

double kernel(const double *x, size_t n) {
    row *a = square();
    (void)n;
    fill(x, a);
    decompose(a);
    double value = weighted(a);
    free(a);
    return value;
}
