/* Shallow water in static arrays, in place: two linear loops over faces and a nonlinear one over cells. */
#include "bench/array/kernel.h"

enum { M = 64, STEPS = 20 };
const size_t kernel_inputs = M * M;

static real h[M][M], u[M + 1][M], v[M][M + 1];

static void fill(const double *x) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            h[i][j] = 1 + R(0.1) * R(x[i * M + j]);
    memset(u, 0, sizeof u);
    memset(v, 0, sizeof v);
}

static void speed_up(void) {
    for (int i = 1; i < M; i++)
        for (int j = 0; j < M; j++)
            u[i][j] -= R(0.1) * (h[i][j] - h[i - 1][j]);
    for (int i = 0; i < M; i++)
        for (int j = 1; j < M; j++)
            v[i][j] -= R(0.1) * (h[i][j] - h[i][j - 1]);
}

static void spread(void) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            real lower = i > 0 ? R(0.5) * (h[i][j] + h[i - 1][j]) : h[i][j];
            h[i][j] -= R(0.1) * (lower * (u[i + 1][j] - u[i][j]) + h[i][j] * (v[i][j + 1] - v[i][j]));
        }
}

static real squares(void) {
    real sum = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            sum += h[i][j] * h[i][j];
    return sum;
}

double kernel(const double *x, size_t n) {
    (void)n;
    fill(x);
    for (int t = 0; t < STEPS; t++) {
        speed_up();
        spread();
    }
    return squares();
}
