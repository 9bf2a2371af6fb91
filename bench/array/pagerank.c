/* Ranks of the nodes of a graph, given as a list of edges (int), whose weights are normalised by node. */
#include "bench/array/kernel.h"

enum { N = 2000, DEGREE = 8, EDGES = N * DEGREE, ROUNDS = 20 };
const size_t kernel_inputs = EDGES;

typedef struct graph {
    int source[EDGES], target[EDGES];
    real weight[EDGES], total[N];
} graph;

static const real DAMPING = R(0.85);

static NOINLINE void make(const double *x, graph *g) {
    memset(g->total, 0, sizeof g->total);
    for (int e = 0; e < EDGES; e++) {
        g->source[e] = e / DEGREE;
        g->target[e] = (int)((e * 7919u + 13u * (unsigned)(e % DEGREE) + 1) % N);
        g->total[g->source[e]] += R(x[e]);
    }
    for (int e = 0; e < EDGES; e++)
        g->weight[e] = R(x[e]) / g->total[g->source[e]];
}

static NOINLINE void spread(const graph *g, const real *rank, real *next) {
    for (int i = 0; i < N; i++)
        next[i] = (1 - DAMPING) / N;
    for (int e = 0; e < EDGES; e++)
        next[g->target[e]] += DAMPING * rank[g->source[e]] * g->weight[e];
}

static real weighted(const real *rank) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        sum += rank[i] * rank[i] * (i % 3);
    return N * sum;
}

double kernel(const double *x, size_t n) {
    graph *g = malloc(sizeof *g);
    real *rank = reals(N), *next = reals(N);
    (void)n;
    make(x, g);
    for (int i = 0; i < N; i++)
        rank[i] = R(1) / N;
    for (int t = 0; t < ROUNDS; t++) {
        spread(g, rank, next);
        real *other = rank;
        rank = next;
        next = other;
    }
    double value = weighted(rank);
    free(g);
    free(rank);
    free(next);
    return value;
}
