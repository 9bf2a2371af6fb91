/* The adjoint of a solution is a solution of the transposed system, with the same factors; the adjoint of the matrix is
 * the product of both solutions. Keeps the solutions. */
#include "bench/array/thomas.c"
#include "bench/array/hand/hand.h"

/* d: adjoint of the solution, then of the right side. */
static NOINLINE void solve_transposed(const real *restrict lower, const real *restrict c, const real *restrict m,
                                      real *restrict d) {
    for (int i = 1; i < N; i++)
        d[i] -= c[i - 1] * d[i - 1];
    d[N - 1] *= m[N - 1];
    for (int i = N - 2; i >= 0; i--)
        d[i] = (d[i] - lower[i + 1] * d[i + 1]) * m[i];
}

static NOINLINE void reverse_matrix(const real *restrict d, const real *restrict u, real *restrict dlower,
                                    real *restrict ddiagonal, real *restrict dupper) {
    ddiagonal[0] -= d[0] * u[0];
    dupper[0] -= d[0] * u[1];
    for (int i = 1; i < N - 1; i++) {
        dlower[i] -= d[i] * u[i - 1];
        ddiagonal[i] -= d[i] * u[i];
        dupper[i] -= d[i] * u[i + 1];
    }
    dlower[N - 1] -= d[N - 1] * u[N - 2];
    ddiagonal[N - 1] -= d[N - 1] * u[N - 1];
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    tridiagonal s = make(x);
    real *u = reals((size_t)STEPS * N), *m = reals(N), *dl = zeros(N), *dd = zeros(N), *du = zeros(N), *d = reals(N);
    real sum = 0;
    for (int t = 0; t < STEPS; t++) {
        solve(s.lower, s.diagonal, s.upper, s.c, s.u);
        memcpy(u + t * N, s.u, N * sizeof *u);
    }
    for (int i = 0; i < N; i++) {
        sum += s.u[i] * s.u[i] * (i % 3);
        d[i] = 2 * s.u[i] * (i % 3);
        m[i] = s.c[i] / s.upper[i];
    }
    for (int t = STEPS - 1; t >= 0; t--) {
        solve_transposed(s.lower, s.c, m, d);
        reverse_matrix(d, u + t * N, dl, dd, du);
    }
    for (size_t i = 0; i < n; i++)
        gradient[i] = R(-1.1) * dl[i] + 2 * dd[i] + R(-0.9) * du[i] + d[i] * (i % 5);
    drop(&s);
    free(u), free(m), free(dl), free(dd), free(du), free(d);
    return sum;
}
