/* Keeps p, q, r and three scalars of each iteration. The adjoint of the product is another product with the matrix. */
#include "bench/array/cg.c"
#include "bench/array/hand/hand.h"

typedef struct iteration {
    real p[N], q[N], r[N]; /* r: after the iteration */
    real rr, pq, alpha, beta;
} iteration;

/* u's adjoint never changes: u is only added to. */
typedef struct adjoints {
    real u[N], r[N], p[N], q[N], value[MOST], rr;
} adjoints;

static NOINLINE void forward(const sparse *a, iteration *it, real *u, real *r, real *p) {
    real rr = inner(r, r);
    for (int t = 0; t < ITERATIONS; t++, it++) {
        memcpy(it->p, p, N * sizeof *p);
        multiply(a, p, it->q);
        it->rr = rr;
        it->pq = inner(p, it->q);
        it->alpha = rr / it->pq;
        for (int i = 0; i < N; i++) {
            u[i] += it->alpha * p[i];
            r[i] -= it->alpha * it->q[i];
        }
        memcpy(it->r, r, N * sizeof *r);
        rr = inner(r, r);
        it->beta = rr / it->rr;
        for (int i = 0; i < N; i++)
            p[i] = r[i] + it->beta * p[i];
    }
}

static NOINLINE void reverse_multiply(const sparse *a, const real *restrict p, const real *restrict dq,
                                      real *restrict dp, real *restrict dvalue) {
    for (int i = 0; i < N; i++)
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            dvalue[k] += dq[i] * p[a->column[k]];
            dp[a->column[k]] += dq[i] * a->value[k];
        }
}

static NOINLINE void reverse(const sparse *a, const iteration *it, adjoints *restrict d) {
    real dbeta = inner_product(d->p, it->p, N), dnext = d->rr + dbeta / it->rr;
    for (int i = 0; i < N; i++)
        d->r[i] += d->p[i] + 2 * dnext * it->r[i];
    real dalpha = inner_product(d->u, it->p, N) - inner_product(d->r, it->q, N), dpq = -dalpha * it->alpha / it->pq;
    d->rr = dalpha / it->pq - dbeta * it->beta / it->rr;
    for (int i = 0; i < N; i++) {
        d->q[i] = dpq * it->p[i] - it->alpha * d->r[i];
        d->p[i] = it->beta * d->p[i] + it->alpha * d->u[i] + dpq * it->q[i];
    }
    reverse_multiply(a, it->p, d->q, d->p, d->value);
}

static void reverse_assemble(const sparse *a, const real *dvalue, const real *db, double *gradient) {
    for (int i = 0; i < N; i++) {
        int last = a->start[i + 1] - 1;
        gradient[i] += db[i] * (i % 5);
        for (int k = a->start[i]; k < last; k++) {
            real d = dvalue[last] - dvalue[k];
            gradient[i] += d;
            gradient[a->column[k]] += d;
        }
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    sparse *a = malloc(sizeof *a);
    iteration *its = malloc(ITERATIONS * sizeof *its);
    adjoints *d = calloc(1, sizeof *d);
    real *u = zeros(N), *b = reals(N), *r = reals(N), *p = reals(N);
    assemble(x, a, b);
    memcpy(r, b, N * sizeof *r);
    memcpy(p, b, N * sizeof *p);
    forward(a, its, u, r, p);
    double value = weighted(u);
    for (int i = 0; i < N; i++)
        d->u[i] = i % 3;
    for (int t = ITERATIONS - 1; t >= 0; t--)
        reverse(a, &its[t], d);
    for (int i = 0; i < N; i++)
        d->r[i] += d->p[i] + 2 * d->rr * b[i];
    memset(gradient, 0, n * sizeof *gradient);
    reverse_assemble(a, d->value, d->r, gradient);
    free(a), free(its), free(d), free(u), free(b), free(r), free(p);
    return value;
}
