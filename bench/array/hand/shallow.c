/* Four planes a step are kept: the height before it, the mean with the row below, and both differences of speeds. Rows
 * are reversed from the last to the first, each in passes that vectorise. */
#include "bench/array/shallow.c"
#include "bench/array/hand/hand.h"

typedef struct kept {
    real height[M][M], lower[M][M], along[M][M], across[M][M];
} kept;

static NOINLINE void spread_and_keep(kept *k) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            real lower = i > 0 ? R(0.5) * (h[i][j] + h[i - 1][j]) : h[i][j];
            real along = u[i + 1][j] - u[i][j], across = v[i][j + 1] - v[i][j];
            k->height[i][j] = h[i][j];
            k->lower[i][j] = lower;
            k->along[i][j] = along;
            k->across[i][j] = across;
            h[i][j] -= R(0.1) * (lower * along + h[i][j] * across);
        }
}

static real dh[M][M], du[M + 1][M], dv[M][M + 1];

static NOINLINE void reverse_spread(const kept *k) {
    real turned[M + 1];
    for (int i = M - 1; i >= 0; i--) {
        for (int j = 0; j < M; j++) {
            real g = -R(0.1) * dh[i][j], along = g * k->lower[i][j], lower = g * k->along[i][j];
            turned[j] = g * k->height[i][j];
            dh[i][j] += g * k->across[i][j] + (i > 0 ? R(0.5) * lower : lower);
            if (i > 0)
                dh[i - 1][j] += R(0.5) * lower;
            du[i + 1][j] += along;
            du[i][j] -= along;
        }
        dv[i][0] -= turned[0];
        for (int j = 1; j < M; j++)
            dv[i][j] += turned[j - 1] - turned[j];
        dv[i][M] += turned[M - 1];
    }
}

static NOINLINE void reverse_speed_up(void) {
    for (int i = 0; i < M; i++) {
        for (int j = 1; j < M; j++)
            dh[i][j] -= R(0.1) * dv[i][j];
        for (int j = 1; j < M; j++)
            dh[i][j - 1] += R(0.1) * dv[i][j];
    }
    for (int i = 1; i < M; i++)
        for (int j = 0; j < M; j++) {
            dh[i][j] -= R(0.1) * du[i][j];
            dh[i - 1][j] += R(0.1) * du[i][j];
        }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    kept *all = malloc(STEPS * sizeof *all);
    (void)n;
    fill(x);
    for (int t = 0; t < STEPS; t++) {
        speed_up();
        spread_and_keep(&all[t]);
    }
    double value = squares();
    memset(du, 0, sizeof du);
    memset(dv, 0, sizeof dv);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            dh[i][j] = 2 * h[i][j];
    for (int t = STEPS - 1; t >= 0; t--) {
        reverse_spread(&all[t]);
        reverse_speed_up();
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            gradient[i * M + j] = R(0.1) * dh[i][j];
    free(all);
    return value;
}
