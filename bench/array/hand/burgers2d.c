/* The forward run writes each step into a plane of its own, which the reverse run reads; only borders are copied. The
 * adjoint of a point is the sum of contributions of the point itself, of its two downwind neighbours, and of diffusion.
 * */
#include "bench/array/burgers2d.c"
#include "bench/array/hand/hand.h"

static const real C = R(0.1), D = R(0.1);

static NOINLINE void advance(row *restrict u, row *restrict v) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            v[i][j] = u[i][j] - C * u[i][j] * (u[i][j] - u[i - 1][j] + u[i][j] - u[i][j - 1]) +
                      D * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4 * u[i][j]);
    memcpy(v[0], u[0], sizeof(row));
    memcpy(v[N - 1], u[N - 1], sizeof(row));
    for (int i = 1; i < N - 1; i++) {
        v[i][0] = u[i][0];
        v[i][N - 1] = u[i][N - 1];
    }
}

static void reverse_border(row *restrict u, row *restrict dv, row *restrict border) {
    for (int i = 1; i < N - 1; i++) {
        border[0][i] += (C * u[1][i] + D) * dv[1][i];
        border[i][0] += (C * u[i][1] + D) * dv[i][1];
        border[N - 1][i] += D * dv[N - 2][i];
        border[i][N - 1] += D * dv[i][N - 2];
    }
}

static NOINLINE void reverse(row *restrict u, row *restrict dv, row *restrict du) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            du[i][j] = (1 - 4 * D - C * (4 * u[i][j] - u[i - 1][j] - u[i][j - 1])) * dv[i][j] +
                       (C * u[i + 1][j] + D) * dv[i + 1][j] + (C * u[i][j + 1] + D) * dv[i][j + 1] +
                       D * (dv[i - 1][j] + dv[i][j - 1]);
}

static void seed(row *d, row *border) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int inside = i > 0 && i < N - 1 && j > 0 && j < N - 1;
            (inside ? d : border)[i][j] = weight(i, j);
        }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *u = malloc((STEPS + 1) * N * sizeof(row)), *d = (row *)zeros(N * N), *e = (row *)zeros(N * N),
        *border = (row *)zeros(N * N);
    fill(x, u);
    for (int t = 0; t < STEPS; t++)
        advance(u + t * N, u + (t + 1) * N);
    double value = weighted(u + STEPS * N);
    seed(d, border);
    for (int t = STEPS - 1; t >= 0; t--) {
        reverse_border(u + t * N, d, border);
        reverse(u + t * N, d, e);
        row *other = d;
        d = e;
        e = other;
    }
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            real g = R(0.1) * (d[i][j] + border[i][j]);
            gradient[i] += g * (j % 7);
            gradient[j] += g;
        }
    free(u), free(d), free(e), free(border);
    return value;
}
