/* Burgers' equation, upwind, between two matrices whose pointers are swapped after each step. */
#include "bench/array/square.h"

enum { STEPS = 50 };
const size_t kernel_inputs = N;

static void fill(const double *x, row *u) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            u[i][j] = R(0.1) * R(x[i]) * (j % 7) + R(0.1) * R(x[j]);
}

static NOINLINE void flow(row *u, row *v, real c) {
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                v[i][j] = u[i][j] - c * u[i][j] * (u[i][j] - u[i - 1][j] + u[i][j] - u[i][j - 1]) +
                          R(0.1) * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4 * u[i][j]);
        row *other = u;
        u = v;
        v = other;
    }
}

double kernel(const double *x, size_t n) {
    row *a = square(), *b = square();
    (void)n;
    fill(x, a);
    fill(x, b);
    flow(a, b, R(0.1));
    double value = weighted(a);
    free(a);
    free(b);
    return value;
}
