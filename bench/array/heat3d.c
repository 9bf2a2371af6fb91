/* Heat in three dimensions, forth and back between two blocks. */
#include "bench/array/kernel.h"

enum { N = 40, STEPS = 20 };
typedef real plane[N][N];
const size_t kernel_inputs = N * N;

static void fill(const double *x, plane *a, plane *b) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                a[i][j][k] = b[i][j][k] = R(x[i * N + j]) * (k % 7) + R(x[j * N + k]);
}

static NOINLINE void half_step(plane *a, plane *b) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            for (int k = 1; k < N - 1; k++)
                b[i][j][k] = R(0.125) * (a[i + 1][j][k] - 2 * a[i][j][k] + a[i - 1][j][k]) +
                             R(0.125) * (a[i][j + 1][k] - 2 * a[i][j][k] + a[i][j - 1][k]) +
                             R(0.125) * (a[i][j][k + 1] - 2 * a[i][j][k] + a[i][j][k - 1]) + a[i][j][k];
}

static int weight(int i, int j, int k) {
    return (i * j + k) % 3 - 1;
}

static real weighted(plane *a) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                sum += a[i][j][k] * weight(i, j, k);
    return sum;
}

double kernel(const double *x, size_t n) {
    plane *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
    (void)n;
    fill(x, a, b);
    for (int t = 0; t < STEPS; t++) {
        half_step(a, b);
        half_step(b, a);
    }
    double value = weighted(a);
    free(a);
    free(b);
    return value;
}
