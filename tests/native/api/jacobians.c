/* Jacobians, dense and sparse, against formulas: in both modes, of regions of several types, with state that each run
 * changes, within a budget; patterns that are used again and that change. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/jacobian.h>

/* ---- Dense ---- */

typedef struct model {
    double u[3];
    float w[2];
    double y[4];
    int runs;
} model;

static double *scratch; /* in the heap: every run changes it */

static void run_model(void *context) {
    model *m = context;
    m->runs++;
    scratch[0] += 1; /* 1 in every run */
    m->u[0] *= m->u[1];
    m->y[0] = m->u[0] * m->u[2] * scratch[0];
    m->y[1] = m->u[2] + (double)(m->w[0] * m->w[0]);
    m->y[2] = sin(m->u[1]);
    m->y[3] = m->u[0] * (double)m->w[1];
}

static void dense(verso_jacobian_mode mode, const verso_native_options *native) {
    model m = {{0.5, -1.25, 2}, {0.5f, 3}, {9, 9, 9, 9}, 0};
    scratch = calloc(1, sizeof *scratch);
    const double u0 = 0.5, u1 = -1.25, u2 = 2;
    const double expected[5][5] = {{u1 * u2, u0 * u2, u0 * u1, 0, 0},
                                   {0, 0, 1, 1, 0},
                                   {0, cos(u1), 0, 0, 0},
                                   {u1 * 3, u0 * 3, 0, 0, u0 * u1},
                                   {u1, u0, 0, 0, 0}};
    double found[5][5];
    const verso_array wrt[] = {{m.u, 3, VERSO_SCALAR_DOUBLE, NULL}, {m.w, 2, VERSO_SCALAR_FLOAT, NULL}};
    const verso_array of[] = {{m.y, 4, VERSO_SCALAR_DOUBLE, NULL}, {m.u, 1, VERSO_SCALAR_DOUBLE, NULL}};
    verso_jacobian_options options = VERSO_JACOBIAN_OPTIONS_INIT;
    verso_jacobian_report report = VERSO_JACOBIAN_REPORT_INIT;
    options.mode = mode;
    options.native = native;
    EXPECT_OK(verso_jacobian(run_model, &m, wrt, 2, of, 2, &found[0][0], &options, &report, &error));
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            EXPECT(fabs(found[i][k] - expected[i][k]) < 1e-6, "mode %d: (%d, %d) is %g instead of %g", mode, i, k,
                   found[i][k], expected[i][k]);
    EXPECT(report.passes == 5 && report.mode == (mode == VERSO_JACOBIAN_AUTO ? VERSO_JACOBIAN_COLUMNS : mode),
           "%d passes in mode %d", (int)report.passes, report.mode);
    EXPECT_CLOSE(m.u[0], u0 * u1); /* the effect of one run */
    EXPECT_CLOSE(scratch[0], 1.0);
    free(scratch);
}

/* ---- Sparse ---- */

enum { MOST = 3000 };

typedef struct equations {
    int n;
    double x[MOST], y[MOST];
    double far; /* not 0: y_3 depends on the last x, too */
    bool arrow; /* y_0 depends on all x */
} equations;

static void run_system(void *context) {
    equations *s = context;
    for (int i = 0; i < s->n; i++) {
        double left = i > 0 ? s->x[i - 1] : 0, right = i + 1 < s->n ? s->x[i + 1] : 1;
        s->y[i] = (left - 2 * s->x[i] + right) + s->x[i] * s->x[i] * s->x[i];
    }
    if (s->arrow)
        for (int i = 2; i < s->n; i++)
            s->y[0] += s->x[i] * i;
    if (s->far != 0)
        s->y[3] += s->far * s->x[s->n - 1];
}

static double expected_at(const equations *s, int i, int k) {
    double sum = i == k ? 3 * s->x[i] * s->x[i] - 2 : abs(i - k) == 1 ? 1 : 0;
    sum += s->arrow && i == 0 && k >= 2 ? k : 0;
    return sum + (i == 3 && k == s->n - 1 ? s->far : 0);
}

static size_t count_expected(const equations *s) {
    size_t count = 0;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->n; k++)
            count += expected_at(s, i, k) != 0;
    return count;
}

static void compare(const equations *s, const verso_sparse *matrix) {
    size_t n = (size_t)s->n;
    EXPECT(matrix->rows == n && matrix->columns == n && matrix->entries == count_expected(s), "%zu entries of %zu",
           matrix->entries, count_expected(s));
    for (size_t i = 0; i < n; i++)
        for (size_t k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++) {
            double expected = expected_at(s, (int)i, (int)matrix->column[k]);
            EXPECT(fabs(matrix->value[k] - expected) < 1e-12 * (1 + fabs(expected)), "(%zu, %zu) is %g instead of %g",
                   i, matrix->column[k], matrix->value[k], expected);
            EXPECT(k == matrix->row_start[i] || matrix->column[k] > matrix->column[k - 1], "order");
        }
}

static verso_jacobian_report solve(equations *s, verso_sparse **matrix, verso_jacobian_mode mode) {
    const verso_array wrt = {s->x, (size_t)s->n, VERSO_SCALAR_DOUBLE, NULL};
    const verso_array of = {s->y, (size_t)s->n, VERSO_SCALAR_DOUBLE, NULL};
    verso_jacobian_options options = VERSO_JACOBIAN_OPTIONS_INIT;
    verso_jacobian_report report = VERSO_JACOBIAN_REPORT_INIT;
    options.mode = mode;
    EXPECT_OK(verso_jacobian_sparse(run_system, s, &wrt, 1, &of, 1, matrix, &options, &report, &error));
    compare(s, *matrix);
    return report;
}

static void sparse(void) {
    static equations s;
    verso_sparse *matrix = NULL;
    s.n = 150;
    for (int i = 0; i < MOST; i++)
        s.x[i] = sin(i) + 0.1;
    verso_jacobian_report report = solve(&s, &matrix, VERSO_JACOBIAN_AUTO);
    EXPECT(report.colours == 3 && report.passes == 3 && report.pattern_passes < 70, "%d colours, %d and %d passes",
           (int)report.colours, (int)report.passes, (int)report.pattern_passes);
    s.x[7] = 4;
    report = solve(&s, &matrix, VERSO_JACOBIAN_AUTO);
    EXPECT(report.passes == 3 && report.pattern_passes == 1, "again: %d and %d passes", (int)report.passes,
           (int)report.pattern_passes);
    s.far = 5; /* the pattern changes */
    report = solve(&s, &matrix, VERSO_JACOBIAN_AUTO);
    EXPECT(report.pattern_passes > 10, "the new pattern took %d passes", (int)report.pattern_passes);
    report = solve(&s, &matrix, VERSO_JACOBIAN_ROWS);
    EXPECT(report.mode == VERSO_JACOBIAN_ROWS && report.colours <= 6, "rows: %d colours", (int)report.colours);
    s.arrow = true; /* one full row: columns would need 150 colours */
    report = solve(&s, &matrix, VERSO_JACOBIAN_AUTO);
    EXPECT(report.mode == VERSO_JACOBIAN_ROWS && report.passes < 12, "arrow: %d passes", (int)report.passes);
    s.arrow = false;
    verso_sparse_free(matrix);
    matrix = NULL;
    s.n = 1;
    s.far = 0;
    solve(&s, &matrix, VERSO_JACOBIAN_AUTO);
    verso_sparse_free(matrix);
    matrix = NULL;
    s.n = MOST;
    report = solve(&s, &matrix, VERSO_JACOBIAN_AUTO);
    EXPECT(report.pattern_passes < 110, "%d passes", (int)report.pattern_passes);
    verso_sparse_free(matrix);
}

static void refusals(void) {
    static equations s = {.n = 3};
    const verso_array wrt = {s.x, 3, VERSO_SCALAR_DOUBLE, NULL};
    verso_sparse *matrix = NULL;
    EXPECT(verso_jacobian(run_system, &s, &wrt, 1, &wrt, 1, NULL, NULL, NULL, &error) == VERSO_STATUS_INVALID, "NULL");
    EXPECT(verso_jacobian_sparse(run_system, &s, &wrt, 1, NULL, 1, &matrix, NULL, NULL, &error) ==
                   VERSO_STATUS_INVALID &&
               matrix == NULL,
           "no regions");
    EXPECT(verso_jacobian_sparse(NULL, &s, &wrt, 1, &wrt, 1, &matrix, NULL, NULL, &error) == VERSO_STATUS_INVALID,
           "no function");
    verso_sparse_free(NULL);
}

int main(void) {
    verso_native_options native = VERSO_NATIVE_OPTIONS_INIT;
    native.memory = 4000000;
    dense(VERSO_JACOBIAN_AUTO, NULL);
    dense(VERSO_JACOBIAN_COLUMNS, NULL);
    dense(VERSO_JACOBIAN_ROWS, NULL);
    dense(VERSO_JACOBIAN_ROWS, &native);
    sparse();
    refusals();
    return failed;
}
