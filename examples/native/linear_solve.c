/* The derivative of the solution of a linear system that an iteration has not solved completely: through the iteration,
 * and by verso_linear_solve. The system is that of steady heat conduction in a rod of 200 cells with conductivities
 * exp(p), solved by conjugate gradients, which end when the residual has fallen by a factor; the misfit of the
 * temperature is differentiated by p.
 *
 *     verso cc -O2 linear_solve.c -o linear_solve -lm && ./linear_solve */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/linear.h>
#include <verso/native.h>

enum { N = 200 };

typedef struct rod {
    double conductivity[N + 1];
    double factor; /* by which the residual must fall */
} rod;

static rod the_rod;

static void apply(void *context, const double *x, double *y) {
    const rod *r = context;
    for (int i = 0; i < N; i++)
        y[i] = (r->conductivity[i] + r->conductivity[i + 1]) * x[i] - (i > 0 ? r->conductivity[i] * x[i - 1] : 0) -
               (i + 1 < N ? r->conductivity[i + 1] * x[i + 1] : 0);
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

static bool solve(void *context, bool transposed, const double *b, double *x) {
    double r[N], d[N], q[N], rho = dot(b, b), least = rho * the_rod.factor * the_rod.factor;
    (void)transposed;
    memset(x, 0, sizeof r);
    memcpy(r, b, sizeof r);
    memcpy(d, b, sizeof d);
    for (int k = 0; k < 1000 && rho > least; k++) {
        apply(context, d, q);
        double alpha = rho / dot(d, q), before = rho;
        for (int i = 0; i < N; i++) {
            x[i] += alpha * d[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        for (int i = 0; i < N; i++)
            d[i] = r[i] + rho / before * d[i];
    }
    return rho <= least;
}

static bool through; /* differentiate through the iteration */

static double misfit(const double *p, size_t n) {
    double heat[N], t[N];
    for (size_t i = 0; i <= n; i++)
        the_rod.conductivity[i] = exp(p[i < n ? i : n - 1]);
    for (int i = 0; i < N; i++)
        heat[i] = 1e-3 * (1 + sin(0.05 * i));
    verso_linear_problem problem = VERSO_LINEAR_PROBLEM_INIT;
    problem.count = N;
    problem.apply = apply;
    problem.solve = solve;
    problem.context = &the_rod;
    problem.symmetric = true;
    problem.tolerance = 1.1 * the_rod.factor + 1e-9; /* the iteration computes its residual by recurrence */
    if (through)
        solve(&the_rod, false, heat, t);
    else
        verso_linear_solve(&problem, heat, t);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (t[i] - 3) * (t[i] - 3) / N;
    return sum;
}

static void gradient_of(const double *p, bool through_it, double factor, double *gradient, size_t *tape) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    through = through_it;
    the_rod.factor = factor;
    if (verso_gradient(misfit, p, N, gradient, NULL, &report, &error) != VERSO_STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    *tape = report.tape_bytes;
}

static double distance(const double *a, const double *b) {
    double far = 0, size = 0;
    for (int i = 0; i < N; i++) {
        far += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(far / size);
}

int main(void) {
    static double p[N], exact[N], by_iteration[N], by_solve[N];
    size_t tape, tape_solve;
    for (int i = 0; i < N; i++)
        p[i] = 0.5 * sin(0.3 * i);
    gradient_of(p, false, 1e-14, exact, &tape);
    printf("residual   error of the gradient            tape in kB\n");
    printf("           iteration   verso_linear_solve   iteration   verso_linear_solve\n");
    for (double factor = 1e-1; factor > 1e-11; factor *= 1e-2) {
        gradient_of(p, true, factor, by_iteration, &tape);
        gradient_of(p, false, factor, by_solve, &tape_solve);
        printf("%.0e      %.1e     %.1e              %-11zu %zu\n", factor, distance(by_iteration, exact),
               distance(by_solve, exact), tape / 1000, tape_solve / 1000);
    }
    return 0;
}
