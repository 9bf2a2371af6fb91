/* The program is linear, so nothing is kept. The adjoint of a point is the sum of contributions of its neighbours; the
 * first and last rows and columns have neighbours on one side only. */
#include "bench/array/fdtd2d.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse_h(row *restrict ex, row *restrict ey, row *restrict hz) {
    const real w = R(0.7);
    for (int i = 0; i < N - 1; i++) {
        ex[i][0] += w * hz[i][0];
        for (int j = 1; j < N - 1; j++)
            ex[i][j] += w * (hz[i][j] - hz[i][j - 1]);
        ex[i][N - 1] -= w * hz[i][N - 2];
    }
    add_scaled(w, hz[0], ey[0], N - 1);
    for (int i = 1; i < N - 1; i++)
        for (int j = 0; j < N - 1; j++)
            ey[i][j] += w * (hz[i][j] - hz[i - 1][j]);
    add_scaled(-w, hz[N - 2], ey[N - 1], N - 1);
}

static NOINLINE void reverse_e(row *restrict ex, row *restrict ey, row *restrict hz) {
    const real w = R(0.5);
    memset(ey[0], 0, sizeof(row));
    for (int i = 0; i < N; i++) {
        hz[i][0] += w * ex[i][1];
        for (int j = 1; j < N - 1; j++)
            hz[i][j] += w * (ex[i][j + 1] - ex[i][j]);
        hz[i][N - 1] -= w * ex[i][N - 1];
        if (i < N - 1)
            for (int j = 0; j < N; j++)
                hz[i][j] += w * (ey[i + 1][j] - ey[i][j]);
        else
            add_scaled(-w, ey[i], hz[i], N);
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *ex = square(), *ey = square(), *hz = square();
    fill(x, ex, ey, hz);
    advance(ex, ey, hz);
    double value = weighted(hz);
    memset(ex, 0, N * sizeof(row));
    memset(ey, 0, N * sizeof(row));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            hz[i][j] = weight(i, j);
    for (int t = 0; t < STEPS; t++) {
        reverse_h(ex, ey, hz);
        reverse_e(ex, ey, hz);
    }
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gradient[i] += ex[i][j] + hz[i][j] * x[j];
            gradient[j] += ey[i][j] + hz[i][j] * x[i];
        }
    free(ex), free(ey), free(hz);
    return value;
}
