/* Larger operands, which go to the program's own product and solver: chained products with shared operands, a linear
 * system, least squares by a Cholesky factor, all in a loop. verso_check compares with tangent mode, Taylor's theorem,
 * cut sweeps and a gradient within a budget. */
#include "../native/api/expect.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { N = 24, SQUARE = N * N, ROUNDS = 6 };

static double norm_of(const double *v) {
    return cblas_dnrm2(N, v, 1);
}

/* v solves (M'M / N + I) v = M'v: normal equations. */
static void fit(const double *m, double *v) {
    double *normal = calloc(SQUARE, sizeof *normal), *right = malloc(N * sizeof *right);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, N, N, 1.0 / N, m, N, 0, normal, N);
    for (int i = 0; i < N; i++)
        normal[i * N + i] += 1;
    cblas_dgemv(CblasRowMajor, CblasTrans, N, N, 1, m, N, v, 1, 0, right, 1);
    LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', N, 1, normal, N, right, 1);
    memcpy(v, right, N * sizeof *v);
    free(normal);
    free(right);
}

static double f(const double *x, size_t n) {
    double *m = malloc(SQUARE * sizeof *m), *next = malloc(SQUARE * sizeof *next), *a = malloc(SQUARE * sizeof *a);
    double v[N], sum = 0;
    int pivots[N];
    memcpy(m, x, SQUARE * sizeof *m);
    memcpy(v, x, sizeof v);
    for (int round = 0; round < ROUNDS; round++) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, N, N, 1.0 / N, m, N, m, N, 0, next, N);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, N, N, N, 0.5, x, N, next, N, 0.25, m, N);
        for (int i = 0; i < SQUARE; i++)
            m[i] = sin(m[i]);
        memcpy(a, m, SQUARE * sizeof *a);
        for (int i = 0; i < N; i++)
            a[i * N + i] += 3;
        LAPACKE_dgesv(LAPACK_ROW_MAJOR, N, 1, a, N, pivots, v, 1);
        fit(m, v);
        cblas_dtrmv(CblasRowMajor, CblasLower, CblasNoTrans, CblasUnit, N, m, N, v, 1);
        sum += norm_of(v) + cblas_ddot(N, v, 1, m, N);
    }
    free(m);
    free(next);
    free(a);
    return sum + (double)n * 0;
}

int main(void) {
    static double x[SQUARE];
    for (int i = 0; i < SQUARE; i++)
        x[i] = sin(1.1 * i) + 0.3;
    verso_check_options options = VERSO_CHECK_OPTIONS_INIT;
    verso_native_options within = VERSO_NATIVE_OPTIONS_INIT;
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    within.memory = 1200000;
    options.within = &within;
    EXPECT_OK(verso_check_gradient(f, x, SQUARE, &options, &report, &error));
    EXPECT(report.holds && report.within && report.stretches > 10,
           "value %d, dot %d (%.17g %.17g), Taylor %d (order %g), cuts %d, within %d", report.value_holds,
           report.dot_holds, report.dot_tangent, report.dot_reverse, report.taylor_holds, report.taylor_order,
           report.cuts_hold, report.within_holds);
    return failed;
}
