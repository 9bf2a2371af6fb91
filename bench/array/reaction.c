/* Reaction and diffusion of two substances (Gray and Scott), explicit, pointers swapped. */
#include "bench/array/kernel.h"

enum { N = 128, STEPS = 40 };
typedef real row[N];
typedef struct state {
    row *u, *v;
} state;
const size_t kernel_inputs = 2 * N;

static const real DU = R(0.16), DV = R(0.08), FEED = R(0.035), KILL = R(0.06);

static void fill(const double *x, state s) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            s.u[i][j] = R(x[i]) * (R(0.5) + R(0.1) * (j % 5));
            s.v[i][j] = R(0.5) * R(x[N + j]) * (i % 3);
        }
}

static inline real laplacian(row *a, int i, int j) {
    return a[i + 1][j] + a[i - 1][j] + a[i][j + 1] + a[i][j - 1] - 4 * a[i][j];
}

static NOINLINE void advance(row *u, row *v, row *nu, row *nv) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            real reacted = u[i][j] * v[i][j] * v[i][j];
            nu[i][j] = u[i][j] + DU * laplacian(u, i, j) - reacted + FEED * (1 - u[i][j]);
            nv[i][j] = v[i][j] + DV * laplacian(v, i, j) + reacted - (FEED + KILL) * v[i][j];
        }
}

static state make(void) {
    return (state){malloc(N * sizeof(row)), malloc(N * sizeof(row))};
}

static real weighted(state s) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += s.u[i][j] * s.v[i][j] * ((i * j) % 3);
    return sum;
}

double kernel(const double *x, size_t n) {
    state s = make(), next = make();
    (void)n;
    fill(x, s);
    fill(x, next);
    for (int t = 0; t < STEPS; t++) {
        advance(s.u, s.v, next.u, next.v);
        state other = s;
        s = next;
        next = other;
    }
    double value = weighted(s);
    free(s.u);
    free(s.v);
    free(next.u);
    free(next.v);
    return value;
}
