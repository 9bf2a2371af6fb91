/* One head of causal attention: scores, softmax, means of values. */
#include "bench/array/kernel.h"

enum { T = 128, D = 64 };
typedef real token[D];
typedef real scores[T];
const size_t kernel_inputs = T * D;

static const real SCALE = R(0.125);

static int other(int i) {
    return (i * 5 + 3) % (T * D);
}

static void fill(const double *x, real *q, real *k, real *v) {
    for (int i = 0; i < T * D; i++) {
        q[i] = R(x[i]) * (i % 5 - 2);
        k[i] = R(x[other(i)]) * (i % 3 - 1);
        v[i] = R(x[i]) + R(x[other(i)]) * (i % 7);
    }
}

static void softmax(real *p, int count) {
    real most = p[0], sum = 0;
    for (int u = 1; u < count; u++)
        most = p[u] > most ? p[u] : most;
    for (int u = 0; u < count; u++) {
        p[u] = exp(p[u] - most);
        sum += p[u];
    }
    for (int u = 0; u < count; u++)
        p[u] /= sum;
}

static NOINLINE void attend(token *q, token *k, token *v, scores *p, token *out) {
    for (int t = 0; t < T; t++) {
        for (int u = 0; u <= t; u++) {
            real sum = 0;
            for (int d = 0; d < D; d++)
                sum += q[t][d] * k[u][d];
            p[t][u] = sum * SCALE;
        }
        softmax(p[t], t + 1);
        for (int d = 0; d < D; d++)
            out[t][d] = 0;
        for (int u = 0; u <= t; u++)
            for (int d = 0; d < D; d++)
                out[t][d] += p[t][u] * v[u][d];
    }
}

double kernel(const double *x, size_t n) {
    token *q = malloc(T * sizeof *q), *k = malloc(T * sizeof *k), *v = malloc(T * sizeof *v),
          *o = malloc(T * sizeof *o);
    scores *p = malloc(T * sizeof *p);
    real sum = 0;
    (void)n;
    fill(x, q[0], k[0], v[0]);
    attend(q, k, v, p, o);
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D; d++)
            sum += o[t][d] * o[t][d] * ((t + d) % 3);
    free(q);
    free(k);
    free(v);
    free(o);
    free(p);
    return sum;
}
