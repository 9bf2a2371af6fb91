/* Keeps the ranks of each round. Edges are sorted by source, so the adjoint of a source is summed in a register. */
#include "bench/array/pagerank.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(const graph *g, const real *restrict rank, const real *restrict d, real *restrict before,
                             real *restrict dweight) {
    for (int i = 0; i < N; i++) {
        real sum = 0, r = DAMPING * rank[i];
        for (int e = i * DEGREE; e < (i + 1) * DEGREE; e++) {
            real at = d[g->target[e]];
            sum += at * g->weight[e];
            dweight[e] += at * r;
        }
        before[i] = DAMPING * sum;
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    graph *g = malloc(sizeof *g);
    real *rank = reals((size_t)(ROUNDS + 1) * N), *d = reals(N), *e = reals(N), *dweight = zeros(EDGES);
    make(x, g);
    for (int i = 0; i < N; i++)
        rank[i] = R(1) / N;
    for (int t = 0; t < ROUNDS; t++)
        spread(g, rank + t * N, rank + (t + 1) * N);
    double value = weighted(rank + ROUNDS * N);
    for (int i = 0; i < N; i++)
        d[i] = 2 * N * rank[ROUNDS * N + i] * (i % 3);
    for (int t = ROUNDS - 1; t >= 0; t--) {
        reverse(g, rank + t * N, d, e, dweight);
        real *other = d;
        d = e;
        e = other;
    }
    for (size_t i = 0; i < n; i += DEGREE) {
        real mean = 0, by = g->total[i / DEGREE];
        for (size_t k = i; k < i + DEGREE; k++)
            mean += dweight[k] * g->weight[k];
        for (size_t k = i; k < i + DEGREE; k++)
            gradient[k] = (dweight[k] - mean) / by;
    }
    free(g), free(rank), free(d), free(e), free(dweight);
    return value;
}
