/* Systems of equations with several right sides, solved by Gauss-Jordan elimination: a condition skips row k. */
#include "bench/array/kernel.h"

enum { N = 120, SIDES = 30, WIDTH = N + SIDES };
const size_t kernel_inputs = N * WIDTH;

static NOINLINE void solve(real (*a)[WIDTH], int n) {
    for (int k = 0; k < n; k++) {
        real inverse = 1 / a[k][k];
        for (int j = k; j < WIDTH; j++)
            a[k][j] *= inverse;
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            real factor = a[i][k];
            for (int j = k; j < WIDTH; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
}

static void fill(const double *x, real (*a)[WIDTH]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < WIDTH; j++)
            a[i][j] = R(0.01) * R(x[i * WIDTH + j]) + (i == j);
}

double kernel(const double *x, size_t n) {
    real(*a)[WIDTH] = malloc(N * sizeof *a), sum = 0;
    (void)n;
    fill(x, a);
    solve(a, N);
    for (int i = 0; i < N; i++)
        for (int j = N; j < WIDTH; j++)
            sum += a[i][j] * ((i + j) % 3 - R(0.5));
    free(a);
    return sum;
}
