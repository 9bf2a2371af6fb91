/* Keeps the inputs of each layer, and the factors from which the matrix is computed. */
#include "bench/array/mlp.c"
#include "bench/array/hand/hand.h"

static void fill(const double *x, row *factor, row *w) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            factor[i][j] = R(0.4) * sin(i * R(3.1) + j * j);
            w[i][j] = factor[i][j] * R(x[j]);
        }
}

/* Computes dx from dy, and adds to dw. */
static NOINLINE void reverse(row *restrict w, row *restrict dw, const real *restrict x, const real *restrict y,
                             const real *restrict dy, real *restrict dx) {
    memset(dx, 0, sizeof(row));
    for (int i = 0; i < N; i++) {
        real g = dy[i] * (1 - y[i] * y[i]);
        for (int j = 0; j < N; j++) {
            dw[i][j] += g * x[j];
            dx[j] += g * w[i][j];
        }
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *factor = square(), *w = square(), *dw = (row *)zeros(N * N), *u = malloc((LAYERS + 1) * sizeof(row));
    real *d = reals(N), *e = reals(N), sum = 0;
    fill(x, factor, w);
    for (int i = 0; i < N; i++)
        u[0][i] = R(x[i]);
    for (int t = 0; t < LAYERS; t++)
        layer(w, u[t], u[t + 1]);
    for (int i = 0; i < N; i++) {
        sum += u[LAYERS][i] * u[LAYERS][i];
        d[i] = 2 * u[LAYERS][i];
    }
    for (int t = LAYERS - 1; t >= 0; t--) {
        reverse(w, dw, u[t], u[t + 1], d, e);
        real *other = d;
        d = e;
        e = other;
    }
    for (size_t i = 0; i < n; i++)
        gradient[i] = d[i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            gradient[j] += dw[i][j] * factor[i][j];
    free(factor), free(w), free(dw), free(u), free(d), free(e);
    return sum;
}
