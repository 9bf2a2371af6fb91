/* verso_linear_solve: with a direct solver, with conjugate gradients without a matrix, with a matrix that is not
 * symmetric and changes after the call, several right-hand sides, and a system within the operator of another.
 * Gradients agree with tangent mode, with differences and within budgets; what is not solved is refused. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/linear.h>
#include <verso/native.h>

enum { N = 12 };

static double x0[N];

static void check(const char *name, double (*f)(const double *, size_t)) {
    verso_check_options options = VERSO_CHECK_OPTIONS_INIT;
    verso_native_options within = VERSO_NATIVE_OPTIONS_INIT;
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    within.memory = 2000000;
    options.within = &within;
    EXPECT_OK(verso_check_gradient(f, x0, N, &options, &report, &error));
    EXPECT(report.holds && report.taylor_order > 1.7 && !report.taylor_linear,
           "%s: value %d, dot %d (%.17g %.17g), Taylor %d (order %g), cuts %d, within %d", name, report.value_holds,
           report.dot_holds, report.dot_tangent, report.dot_reverse, report.taylor_holds, report.taylor_order,
           report.cuts_hold, report.within_holds);
}

static void refused(const char *name, double (*f)(const double *, size_t), const char *words) {
    double gradient[N];
    verso_status status = verso_gradient(f, x0, N, gradient, NULL, NULL, &error);
    EXPECT(status == VERSO_STATUS_INVALID && strstr(error.message, words) != NULL, "%s: %d, %s", name, status,
           error.message);
}

/* ---- A matrix without symmetry, and Gaussian elimination ---- */

typedef struct dense {
    double a[N][N];
} dense;

static void apply_dense(void *context, const double *x, double *y) {
    const dense *m = context;
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < N; j++)
            y[i] += m->a[i][j] * x[j];
    }
}

static bool eliminate(void *context, bool transposed, const double *b, double *x) {
    const dense *m = context;
    double a[N][N];
    for (int i = 0; i < N; i++) {
        x[i] = b[i];
        for (int j = 0; j < N; j++)
            a[i][j] = transposed ? m->a[j][i] : m->a[i][j];
    }
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < N; j++)
                a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
    return true;
}

static void fill(dense *m, const double *p, double shift) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m->a[i][j] = (i == j ? 6 + shift : 0) + sin(p[i] * (j + 1)) + 0.3 * p[j] * p[(i + j) % N];
}

static bool keeps;

/* Three systems, one after the other, in the same memory. */
static double steps(const double *p, size_t n) {
    dense *m = malloc(sizeof *m);
    double b[N], x[N] = {0}, sum = 0;
    memcpy(b, p, n * sizeof *b);
    for (int step = 0; step < 3; step++) {
        fill(m, b, step);
        verso_linear_memory kept = {m, sizeof *m};
        verso_linear_problem problem = VERSO_LINEAR_PROBLEM_INIT;
        problem.count = N;
        problem.apply = apply_dense;
        problem.solve = eliminate;
        problem.context = m;
        problem.kept = keeps ? &kept : NULL;
        problem.kept_count = keeps;
        bool solved = verso_linear_solve(&problem, b, x);
        for (int i = 0; i < N; i++)
            b[i] = solved ? x[i] * x[i] * 10 + p[i] : 0;
        sum += x[step] * x[N - 1];
    }
    free(m);
    return sum;
}

/* Two right-hand sides; the context is an automatic variable, which is kept. */
static double sides(const double *p, size_t n) {
    dense m;
    double b[2 * N], x[2 * N];
    fill(&m, p, 0);
    for (size_t i = 0; i < n; i++) {
        b[i] = p[i];
        b[N + i] = p[i] * p[n - 1 - i];
    }
    verso_linear_memory kept = {&m, sizeof m};
    verso_linear_problem problem = VERSO_LINEAR_PROBLEM_INIT;
    problem.count = N;
    problem.sides = 2;
    problem.apply = apply_dense;
    problem.solve = eliminate;
    problem.context = &m;
    problem.kept = keeps ? &kept : NULL;
    problem.kept_count = keeps;
    verso_linear_solve(&problem, b, x);
    double sum = 0;
    for (int i = 0; i < 2 * N; i++)
        sum += cos(i) * x[i] + x[i] * x[(i + 5) % (2 * N)];
    return sum;
}

/* ---- Without a matrix: conjugate gradients ---- */

typedef struct chain {
    double stiffness[N];
    double relative; /* the residual at which the iteration ends */
    struct chain *inner;
} chain;

static bool iterate(void *context, bool transposed, const double *b, double *x);

static verso_linear_problem problem_of(chain *c) {
    verso_linear_problem problem = VERSO_LINEAR_PROBLEM_INIT;
    problem.count = N;
    problem.solve = iterate;
    problem.context = c;
    problem.symmetric = true;
    return problem;
}

/* y = (I + D'SD) x; with `inner`, y = (I + D'SD + inner^-1) x. */
static void apply_chain(void *context, const double *x, double *y) {
    chain *c = context;
    double inside[N] = {0};
    if (c->inner != NULL) {
        verso_linear_problem problem = problem_of(c->inner);
        problem.apply = apply_chain;
        verso_linear_solve(&problem, x, inside);
    }
    for (int i = 0; i < N; i++) {
        double left = i > 0 ? c->stiffness[i - 1] * (x[i] - x[i - 1]) : 0;
        double right = i + 1 < N ? c->stiffness[i] * (x[i + 1] - x[i]) : 0;
        y[i] = x[i] + left - right + inside[i];
    }
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

static bool iterate(void *context, bool transposed, const double *b, double *x) {
    const chain *c = context;
    double r[N], d[N], q[N], rho;
    EXPECT(!transposed, "transposed");
    memset(x, 0, sizeof r);
    memcpy(r, b, sizeof r);
    memcpy(d, r, sizeof d);
    rho = dot(r, r);
    for (int k = 0; k < 200 && sqrt(rho) > c->relative * sqrt(dot(b, b)); k++) {
        apply_chain(context, d, q);
        double alpha = rho / dot(d, q), before = rho;
        for (int i = 0; i < N; i++) {
            x[i] += alpha * d[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        for (int i = 0; i < N; i++)
            d[i] = r[i] + rho / before * d[i];
    }
    return true;
}

static chain outer_chain, inner_chain;
static double residual = 1e-14;

static double solve_chain(const double *p, chain *inner) {
    chain *all[] = {&outer_chain, &inner_chain};
    for (int k = 0; k < 2; k++) {
        all[k]->relative = residual;
        for (int i = 0; i < N; i++)
            all[k]->stiffness[i] = 1 + (k + 1) * p[i] * p[i];
    }
    outer_chain.inner = inner;
    double b[N], x[N];
    memcpy(b, p, sizeof b);
    verso_linear_problem problem = problem_of(&outer_chain);
    problem.apply = apply_chain;
    verso_linear_solve(&problem, b, x);
    return dot(x, x) + x[3];
}

static double flat(const double *p, size_t n) {
    return n == N ? solve_chain(p, NULL) : 0;
}

static double nested(const double *p, size_t n) {
    return n == N ? solve_chain(p, &inner_chain) : 0;
}

static void plain(void) {
    dense m;
    double b[N], x[N], y[N];
    fill(&m, x0, 0);
    memcpy(b, x0, sizeof b);
    verso_linear_problem problem = VERSO_LINEAR_PROBLEM_INIT;
    problem.count = N;
    problem.apply = apply_dense;
    problem.solve = eliminate;
    problem.context = &m;
    EXPECT(verso_linear_solve(&problem, b, x), "not solved");
    apply_dense(&m, x, y);
    for (int i = 0; i < N; i++)
        EXPECT_CLOSE(y[i], b[i]);
    problem.size = 0;
    EXPECT(!verso_linear_solve(&problem, b, x), "a problem that is not initialised");
}

int main(void) {
    for (int i = 0; i < N; i++)
        x0[i] = 0.4 + 0.5 * sin(3 * i);
    plain();
    keeps = true;
    check("steps", steps);
    check("sides", sides);
    check("flat", flat);
    check("nested", nested);
    keeps = false;
    refused("a matrix that has changed", steps, "the transposed linear system of the sweep is not solved");
    refused("an automatic context", sides, "the solver reads an automatic variable");
    residual = 1e-3;
    refused("an iteration that ends early", flat, "the linear system is not solved: its residual is");
    return failed;
}
