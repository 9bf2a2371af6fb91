/* A Kalman filter with four states and two measurements over a long series; small matrices in the stack. */
#include "bench/array/kernel.h"

enum { S = 4, STEPS = 600 };
const size_t kernel_inputs = STEPS + 2;
typedef real mat[S][S];

static NOINLINE void product(mat a, mat b, mat c) {
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            c[i][j] = 0;
            for (int k = 0; k < S; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}

static NOINLINE void product_turned(mat a, mat b, mat c) {
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            c[i][j] = 0;
            for (int k = 0; k < S; k++)
                c[i][j] += a[i][k] * b[j][k];
        }
}

static void model(mat f) {
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++)
            f[i][j] = i == j ? R(0.98) : j == i + 2 ? R(0.1) : 0;
}

/* One scalar measurement z of state 0. Returns the logarithm of its likelihood, without constants. */
static NOINLINE real update(real *state, mat p, real z, real r) {
    real s = p[0][0] + r, e = z - state[0], gain[S];
    for (int i = 0; i < S; i++)
        gain[i] = p[i][0] / s;
    for (int i = 0; i < S; i++)
        state[i] += gain[i] * e;
    for (int i = 0; i < S; i++)
        for (int j = S - 1; j >= 0; j--)
            p[i][j] -= gain[i] * gain[j] * s;
    return -log(s) - e * e / s;
}

static NOINLINE void predict(mat f, real *state, mat p, real q) {
    real next[S];
    mat fp;
    for (int i = 0; i < S; i++) {
        next[i] = 0;
        for (int j = 0; j < S; j++)
            next[i] += f[i][j] * state[j];
    }
    memcpy(state, next, sizeof next);
    product(f, p, fp);
    product_turned(fp, f, p);
    for (int i = 0; i < S; i++)
        p[i][i] += q;
}

double kernel(const double *x, size_t n) {
    mat f, p;
    real state[S] = {0}, sum = 0;
    (void)n;
    model(f);
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++)
            p[i][j] = i == j;
    for (int t = 0; t < STEPS; t++) {
        predict(f, state, p, R(x[STEPS]));
        sum += update(state, p, R(x[t]) * (t % 5 - 2), R(x[STEPS + 1]));
    }
    return sum;
}
