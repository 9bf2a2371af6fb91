/* Uses the probabilities, which the forward run leaves in memory. */
#include "bench/array/attention.c"
#include "bench/array/hand/hand.h"

typedef struct heads {
    token q[T], k[T], v[T], out[T];
} heads;

static NOINLINE void reverse(const heads *restrict a, scores *restrict p, heads *restrict d) {
    scores dp;
    for (int t = T - 1; t >= 0; t--) {
        real mean = 0;
        for (int u = 0; u <= t; u++) {
            dp[u] = inner_product(a->v[u], d->out[t], D);
            mean += p[t][u] * dp[u];
            add_scaled(p[t][u], d->out[t], d->v[u], D);
        }
        for (int u = 0; u <= t; u++) {
            real g = p[t][u] * (dp[u] - mean) * SCALE;
            add_scaled(g, a->k[u], d->q[t], D);
            add_scaled(g, a->q[t], d->k[u], D);
        }
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    heads *a = malloc(sizeof *a), *d = calloc(1, sizeof *d);
    scores *p = malloc(T * sizeof *p);
    real sum = 0, *dq = d->q[0], *dk = d->k[0], *dv = d->v[0];
    fill(x, a->q[0], a->k[0], a->v[0]);
    attend(a->q, a->k, a->v, p, a->out);
    for (int t = 0; t < T; t++)
        for (int i = 0; i < D; i++) {
            sum += a->out[t][i] * a->out[t][i] * ((t + i) % 3);
            d->out[t][i] = 2 * a->out[t][i] * ((t + i) % 3);
        }
    reverse(a, p, d);
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < T * D; i++) {
        gradient[i] += dq[i] * (i % 5 - 2) + dv[i];
        gradient[other(i)] += dk[i] * (i % 3 - 1) + dv[i] * (i % 7);
    }
    free(a), free(d), free(p);
    return sum;
}
