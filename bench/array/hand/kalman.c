/* Matrices and states before each update are kept; gains are computed again. */
#include "bench/array/kalman.c"
#include "bench/array/hand/hand.h"

/* p, state: those before the update; dp, ds their adjoints, first those after it. Returns the adjoint of z; seed 1. */
static NOINLINE real reverse_update(const real *state, mat p, real z, real r, real *ds, mat dp, real *dr) {
    real s = p[0][0] + r, e = z - state[0], dgain[S], dS = -1 / s + e * e / (s * s), de = -2 * e / s, gain[S];
    for (int i = 0; i < S; i++)
        gain[i] = p[i][0] / s;
    for (int i = 0; i < S; i++) {
        dgain[i] = ds[i] * e;
        de += ds[i] * gain[i];
    }
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            dgain[i] -= dp[i][j] * gain[j] * s;
            dgain[j] -= dp[i][j] * gain[i] * s;
            dS -= dp[i][j] * gain[i] * gain[j];
        }
    for (int i = 0; i < S; i++) {
        dp[i][0] += dgain[i] / s;
        dS -= dgain[i] * gain[i] / s;
    }
    dp[0][0] += dS;
    ds[0] -= de;
    *dr += dS;
    return de;
}

static NOINLINE real reverse_predict(mat f, real *ds, mat dp) {
    real next[S] = {0}, dq = 0;
    mat h, g = {{0}};
    for (int i = 0; i < S; i++) {
        dq += dp[i][i];
        for (int j = 0; j < S; j++)
            next[j] += f[i][j] * ds[i];
    }
    memcpy(ds, next, sizeof next);
    for (int k = 0; k < S; k++) /* h = f' dp */
        for (int j = 0; j < S; j++) {
            h[k][j] = 0;
            for (int i = 0; i < S; i++)
                h[k][j] += f[i][k] * dp[i][j];
        }
    for (int k = 0; k < S; k++)
        for (int j = 0; j < S; j++)
            for (int l = 0; l < S; l++)
                g[k][l] += h[k][j] * f[j][l];
    memcpy(dp, g, sizeof g);
    return dq;
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    static mat kept[STEPS];
    static real states[STEPS][S];
    mat f, p, dp = {{0}};
    real state[S] = {0}, ds[S] = {0}, dq = 0, dr = 0, sum = 0;
    (void)n;
    model(f);
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++)
            p[i][j] = i == j;
    for (int t = 0; t < STEPS; t++) {
        predict(f, state, p, R(x[STEPS]));
        memcpy(kept[t], p, sizeof p);
        memcpy(states[t], state, sizeof state);
        sum += update(state, p, R(x[t]) * (t % 5 - 2), R(x[STEPS + 1]));
    }
    for (int t = STEPS; t-- > 0;) {
        gradient[t] =
            (t % 5 - 2) * reverse_update(states[t], kept[t], R(x[t]) * (t % 5 - 2), R(x[STEPS + 1]), ds, dp, &dr);
        dq += reverse_predict(f, ds, dp);
    }
    gradient[STEPS] = dq, gradient[STEPS + 1] = dr;
    return sum;
}
