/* Shortest paths between all pairs (Floyd and Warshall), in place. */
#include "bench/array/square.h"

const size_t kernel_inputs = N;

static int here(int i, int j) {
    return (i * j) % 7 + 1;
}

static int there(int i, int j) {
    return (i + j) % 13 == 0 ? 99 : 1;
}

static void fill(const double *x, row *p) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            p[i][j] = R(x[i]) * here(i, j) + R(x[j]) * there(i, j);
}

static NOINLINE void shorten(row *p) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                p[i][j] = p[i][j] < p[i][k] + p[k][j] ? p[i][j] : p[i][k] + p[k][j];
}

double kernel(const double *x, size_t n) {
    row *p = square();
    (void)n;
    fill(x, p);
    shorten(p);
    double value = weighted(p);
    free(p);
    return value;
}
