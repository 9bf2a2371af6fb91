/* The two products of the biconjugate gradient method, with arrays of variable length. */
#include "bench/array/kernel.h"

enum { ROWS = 500, COLUMNS = 400 };
const size_t kernel_inputs = ROWS + COLUMNS;

static NOINLINE void fill(int n, int m, const double *x, real a[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = R(x[i]) * R(x[ROWS + j]) * ((i + j) % 3);
}

static NOINLINE void bicg(int n, int m, real a[n][m], const real *r, const real *p, real *s, real *q) {
    for (int j = 0; j < m; j++)
        s[j] = 0;
    for (int i = 0; i < n; i++) {
        q[i] = 0;
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}

double kernel(const double *x, size_t inputs) {
    int n = ROWS, m = COLUMNS;
    real(*a)[m] = malloc((size_t)n * sizeof *a), *r = reals(ROWS), *p = reals(COLUMNS), *s = reals(COLUMNS),
    *q = reals(ROWS), sum = 0;
    (void)inputs;
    fill(n, m, x, a);
    for (int i = 0; i < n; i++)
        r[i] = R(x[i]);
    for (int j = 0; j < m; j++)
        p[j] = R(x[n + j]);
    bicg(n, m, a, r, p, s, q);
    for (int i = 0; i < n; i++)
        sum += q[i] * (i % 3);
    for (int j = 0; j < m; j++)
        sum += s[j] * s[j] * (j % 5);
    free(a), free(r), free(p), free(s), free(q);
    return sum;
}
