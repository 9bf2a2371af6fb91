/* The stencil is linear and symmetric, so its adjoint is the stencil itself, on blocks with a border of zeros, and
 * nothing is kept. The adjoints of the six faces are summed separately. */
#include "bench/array/heat3d.c"
#include "bench/array/hand/hand.h"

static void reverse_faces(plane *restrict d, plane *restrict border) {
    const real w = R(0.125);
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            border[0][i][j] += w * d[1][i][j];
            border[N - 1][i][j] += w * d[N - 2][i][j];
            border[i][0][j] += w * d[i][1][j];
            border[i][N - 1][j] += w * d[i][N - 2][j];
            border[i][j][0] += w * d[i][j][1];
            border[i][j][N - 1] += w * d[i][j][N - 2];
        }
}

static int inside(int i) {
    return i > 0 && i < N - 1;
}

static void seed(plane *d, plane *border) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                (inside(i) && inside(j) && inside(k) ? d : border)[i][j][k] = weight(i, j, k);
}

static void reverse_fill(plane *d, plane *border, double *gradient) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                real g = d[i][j][k] + border[i][j][k];
                gradient[i * N + j] += g * (k % 7);
                gradient[j * N + k] += g;
            }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    plane *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), *border = calloc(N, sizeof *border);
    fill(x, a, b);
    for (int t = 0; t < STEPS; t++) {
        half_step(a, b);
        half_step(b, a);
    }
    double value = weighted(a);
    memset(a, 0, N * sizeof *a);
    memset(b, 0, N * sizeof *b);
    seed(a, border);
    for (int t = 0; t < STEPS; t++) {
        reverse_faces(a, border);
        half_step(a, b);
        reverse_faces(b, border);
        half_step(b, a);
    }
    memset(gradient, 0, n * sizeof *gradient);
    reverse_fill(a, border, gradient);
    free(a), free(b), free(border);
    return value;
}
