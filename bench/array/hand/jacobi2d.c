/* The stencil is linear and symmetric, so its adjoint is the stencil itself, on matrices with a border of zeros, and
 * nothing is kept. The adjoints of the border are summed separately. */
#include "bench/array/jacobi2d.c"
#include "bench/array/hand/hand.h"

static void step(row *restrict from, row *restrict to, row *restrict border) {
    const real w = R(0.2);
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            to[i][j] = w * (from[i][j] + from[i][j - 1] + from[i][j + 1] + from[i + 1][j] + from[i - 1][j]);
    for (int i = 1; i < N - 1; i++) {
        border[0][i] += w * from[1][i];
        border[N - 1][i] += w * from[N - 2][i];
        border[i][0] += w * from[i][1];
        border[i][N - 1] += w * from[i][N - 2];
    }
}

static NOINLINE void reverse(row *da, row *db, row *border) {
    for (int t = 0; t < STEPS; t++) {
        step(da, db, border);
        step(db, da, border);
    }
}

/* Weights into a's interior and into the border: both matrices begin with the same numbers there. */
static void seed(row *da, row *border) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int inside = i > 0 && i < N - 1 && j > 0 && j < N - 1;
            (inside ? da : border)[i][j] = weight(i, j);
        }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *a = square(), *b = square(), *border = (row *)zeros(N * N);
    fill(x, a, b);
    relax(a, b);
    double value = weighted(a);
    memset(a, 0, N * sizeof(row));
    memset(b, 0, N * sizeof(row));
    seed(a, border);
    reverse(a, b, border);
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            real d = a[i][j] + border[i][j];
            gradient[i] += d * (j % 7);
            gradient[j] += d;
        }
#ifdef BESIDE_FLOAT
    value += beside(x);
    for (int i = 0; i < FLOATS; i++)
        gradient[i] += 2 * floats[i];
#endif
    free(a), free(b), free(border);
    return value;
}
