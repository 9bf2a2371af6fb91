/* Matrices as tables of pointers to rows, as textbooks in C have them: a product, and a triangular solution. */
#include "bench/array/kernel.h"

enum { N = 150 };
const size_t kernel_inputs = N;

static real **matrix(void) {
    real **a = malloc(N * sizeof *a);
    for (int i = 0; i < N; i++)
        a[i] = calloc(N, sizeof **a);
    return a;
}

static void drop(real **a) {
    for (int i = 0; i < N; i++)
        free(a[i]);
    free(a);
}

static void fill(const double *x, real **a, real **b) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = R(x[i]) * (j % 7 - 3) + R(x[j]) * R(0.5);
            b[i][j] = R(x[j]) + i % 5;
        }
}

static NOINLINE void multiply(real **c, real **a, real **b) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
}

/* Solves L Y = C, where L is a unit matrix and the lower triangle of A, scaled. Y replaces C. */
static NOINLINE void solve(real **c, real **a) {
    for (int i = 1; i < N; i++)
        for (int k = 0; k < i; k++)
            for (int j = 0; j < N; j++)
                c[i][j] -= R(0.001) * a[i][k] * c[k][j];
}

static int weight(int i, int j) {
    return (i * j) % 3 - 1;
}

static real weighted(real **a) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j] * weight(i, j);
    return sum;
}

double kernel(const double *x, size_t n) {
    real **a = matrix(), **b = matrix(), **c = matrix();
    (void)n;
    fill(x, a, b);
    multiply(c, a, b);
    solve(c, a);
    double value = weighted(c) * R(1e-4);
    drop(a);
    drop(b);
    drop(c);
    return value;
}
