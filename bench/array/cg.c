/* Conjugate gradients with a sparse matrix in compressed rows, columns as int: diffusion on a grid. */
#include "bench/array/kernel.h"

enum { SIDE = 60, N = SIDE * SIDE, MOST = 5 * N, ITERATIONS = 25 };
const size_t kernel_inputs = N;

typedef struct sparse {
    int start[N + 1], column[MOST];
    real value[MOST];
} sparse;

static void add_entry(sparse *a, int *count, int column, real value) {
    a->column[*count] = column;
    a->value[(*count)++] = value;
}

/* The neighbours of a point, at most four. */
static int neighbours(int i, int *at) {
    int count = 0, r = i / SIDE, c = i % SIDE;
    if (r > 0)
        at[count++] = i - SIDE;
    if (c > 0)
        at[count++] = i - 1;
    if (c < SIDE - 1)
        at[count++] = i + 1;
    if (r < SIDE - 1)
        at[count++] = i + SIDE;
    return count;
}

static NOINLINE void assemble(const double *x, sparse *a, real *b) {
    int count = 0;
    for (int i = 0; i < N; i++) {
        int at[4], most = neighbours(i, at);
        real diagonal = R(0.1);
        a->start[i] = count;
        for (int k = 0; k < most; k++) {
            real conductivity = R(x[i]) + R(x[at[k]]);
            add_entry(a, &count, at[k], -conductivity);
            diagonal += conductivity;
        }
        add_entry(a, &count, i, diagonal);
        b[i] = R(x[i]) * (i % 5);
    }
    a->start[N] = count;
}

static NOINLINE void multiply(const sparse *a, const real *p, real *q) {
    for (int i = 0; i < N; i++) {
        real sum = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            sum += a->value[k] * p[a->column[k]];
        q[i] = sum;
    }
}

static real inner(const real *a, const real *b) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

static real weighted(const real *u) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        sum += u[i] * (i % 3);
    return sum;
}

double kernel(const double *x, size_t n) {
    sparse *a = malloc(sizeof *a);
    real *u = calloc(N, sizeof *u), *r = reals(N), *p = reals(N), *q = reals(N);
    (void)n;
    assemble(x, a, r);
    memcpy(p, r, N * sizeof *p);
    real rr = inner(r, r);
    for (int t = 0; t < ITERATIONS; t++) {
        multiply(a, p, q);
        real alpha = rr / inner(p, q);
        for (int i = 0; i < N; i++) {
            u[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        real next = inner(r, r), beta = next / rr;
        for (int i = 0; i < N; i++)
            p[i] = r[i] + beta * p[i];
        rr = next;
    }
    double value = weighted(u);
    free(a);
    free(u);
    free(r);
    free(p);
    free(q);
    return value;
}
