/* Each step writes into planes of its own. The adjoint of a point is the sum of contributions of its neighbours, from
 * matrices with a border of zeros. */
#include "bench/array/reaction.c"
#include "bench/array/hand/hand.h"

static void copy_border(row *from, row *to) {
    memcpy(to[0], from[0], sizeof(row));
    memcpy(to[N - 1], from[N - 1], sizeof(row));
    for (int i = 1; i < N - 1; i++) {
        to[i][0] = from[i][0];
        to[i][N - 1] = from[i][N - 1];
    }
}

static void reverse_border(row *restrict d, row *restrict border, real w) {
    for (int i = 1; i < N - 1; i++) {
        border[0][i] += w * d[1][i];
        border[i][0] += w * d[i][1];
        border[N - 1][i] += w * d[N - 2][i];
        border[i][N - 1] += w * d[i][N - 2];
    }
}

static NOINLINE void reverse(row *restrict u, row *restrict v, row *restrict du, row *restrict dv, row *restrict eu,
                             row *restrict ev) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            real into = dv[i][j] - du[i][j];
            eu[i][j] = (1 - FEED) * du[i][j] + DU * laplacian(du, i, j) + into * v[i][j] * v[i][j];
            ev[i][j] = (1 - FEED - KILL) * dv[i][j] + DV * laplacian(dv, i, j) + into * 2 * u[i][j] * v[i][j];
        }
}

static void seed(row *other, row *d, row *border) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int inside = i > 0 && i < N - 1 && j > 0 && j < N - 1;
            (inside ? d : border)[i][j] = other[i][j] * ((i * j) % 3);
        }
}

static void reverse_fill(state d, state border, double *gradient) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gradient[i] += (d.u[i][j] + border.u[i][j]) * (R(0.5) + R(0.1) * (j % 5));
            gradient[N + j] += R(0.5) * (d.v[i][j] + border.v[i][j]) * (i % 3);
        }
}

static state make_zeros(void) {
    return (state){(row *)zeros(N * N), (row *)zeros(N * N)};
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *u = malloc((STEPS + 1) * N * sizeof(row)), *v = malloc((STEPS + 1) * N * sizeof(row));
    state d = make_zeros(), e = make_zeros(), border = make_zeros(), last = {u + STEPS * N, v + STEPS * N};
    fill(x, (state){u, v});
    for (int t = 0; t < STEPS * N; t += N) {
        advance(u + t, v + t, u + t + N, v + t + N);
        copy_border(u + t, u + t + N);
        copy_border(v + t, v + t + N);
    }
    double value = weighted(last);
    seed(last.v, d.u, border.u);
    seed(last.u, d.v, border.v);
    for (int t = (STEPS - 1) * N; t >= 0; t -= N) {
        reverse_border(d.u, border.u, DU);
        reverse_border(d.v, border.v, DV);
        reverse(u + t, v + t, d.u, d.v, e.u, e.v);
        state other = d;
        d = e;
        e = other;
    }
    memset(gradient, 0, n * sizeof *gradient);
    reverse_fill(d, border, gradient);
    free(u), free(v), free(d.u), free(d.v), free(e.u), free(e.v), free(border.u), free(border.v);
    return value;
}
