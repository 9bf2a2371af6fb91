/* Nothing is kept. Row by row: the adjoint of the matrix is a sum of two outer products. */
#include "bench/array/bicg.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(int n, int m, real (*restrict a)[m], const real *restrict r, const real *restrict p,
                             const real *restrict ds, const real *restrict dq, real (*restrict da)[m],
                             real *restrict dr, real *restrict dp) {
    for (int i = 0; i < n; i++) {
        dr[i] = inner_product(ds, a[i], m);
        for (int j = 0; j < m; j++) {
            da[i][j] = r[i] * ds[j] + dq[i] * p[j];
            dp[j] += dq[i] * a[i][j];
        }
    }
}

double hand_gradient(const double *x, size_t inputs, double *gradient) {
    int n = ROWS, m = COLUMNS;
    real(*a)[m] = malloc((size_t)n * sizeof *a), (*da)[m] = malloc((size_t)n * sizeof *a), *r = reals(ROWS),
    *p = reals(COLUMNS), *s = reals(COLUMNS), *q = reals(ROWS), sum = 0;
    real *ds = reals(COLUMNS), *dq = reals(ROWS), *dr = reals(ROWS), *dp = zeros(COLUMNS);
    fill(n, m, x, a);
    for (int i = 0; i < n; i++)
        r[i] = R(x[i]);
    for (int j = 0; j < m; j++)
        p[j] = R(x[n + j]);
    bicg(n, m, a, r, p, s, q);
    for (int i = 0; i < n; i++)
        sum += q[i] * (i % 3), dq[i] = i % 3;
    for (int j = 0; j < m; j++)
        sum += s[j] * s[j] * (j % 5), ds[j] = 2 * s[j] * (j % 5);
    reverse(n, m, a, r, p, ds, dq, da, dr, dp);
    memset(gradient, 0, inputs * sizeof *gradient);
    for (int i = 0; i < n; i++) {
        real part = dr[i];
        for (int j = 0; j < m; j++)
            gradient[n + j] += da[i][j] * r[i] * ((i + j) % 3);
        for (int j = 0; j < m; j++)
            part += da[i][j] * p[j] * ((i + j) % 3);
        gradient[i] += part;
    }
    for (int j = 0; j < m; j++)
        gradient[n + j] += dp[j];
    free(a), free(da), free(r), free(p), free(s), free(q), free(ds), free(dq), free(dr), free(dp);
    return sum;
}
