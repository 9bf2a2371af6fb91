/* Finite differences in time: an electric and a magnetic field, in place. */
#include "bench/array/square.h"

enum { STEPS = 50 };
const size_t kernel_inputs = N;

static void fill(const double *x, row *ex, row *ey, row *hz) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            ex[i][j] = R(x[i]);
            ey[i][j] = R(x[j]);
            hz[i][j] = R(x[i]) * R(x[j]);
        }
}

static NOINLINE void advance(row *ex, row *ey, row *hz) {
    for (int t = 0; t < STEPS; t++) {
        for (int j = 0; j < N; j++)
            ey[0][j] = t;
        for (int i = 1; i < N; i++)
            for (int j = 0; j < N; j++)
                ey[i][j] -= R(0.5) * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < N; i++)
            for (int j = 1; j < N; j++)
                ex[i][j] -= R(0.5) * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < N - 1; j++)
                hz[i][j] -= R(0.7) * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

double kernel(const double *x, size_t n) {
    row *ex = square(), *ey = square(), *hz = square();
    (void)n;
    fill(x, ex, ey, hz);
    advance(ex, ey, hz);
    double value = weighted(hz);
    free(ex);
    free(ey);
    free(hz);
    return value;
}
