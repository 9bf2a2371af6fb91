/* Hessian-vector products and Hessians, against formulas and exact identities: v' (H w) = w' (H v) to rounding, the
 * same gradient as verso_gradient, the same bits within budgets, when repeated and in a durable run; order 3 of
 * Taylor's remainder; dense and sparse matrices; memory, integers and pointers that move numbers; what is refused. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/hessian.h>

/* ---- Programs ---- */

/* A chain with time steps, in the heap: memory that is overwritten, freed and copied. */
enum { STEPS = 60 };

__attribute__((noinline)) static void step(double *to, const double *from, size_t n, double by) {
    for (size_t i = 0; i < n; i++) {
        double left = from[(i + n - 1) % n], right = from[(i + 1) % n];
        to[i] = from[i] + 0.05 * (left - 2 * from[i] + right) + 0.01 * sin(by * from[i]) * left;
    }
}

static double chain(const double *x, size_t n) {
    double *a = malloc(n * sizeof *a), *b = calloc(n, sizeof *b), sum = 0;
    memcpy(a, x, n * sizeof *a);
    for (int k = 0; k < STEPS; k++) {
        step(b, a, n, x[0]);
        double *turned = a;
        a = b;
        b = turned;
        if (k % 7 == 0)
            memmove(b, a, n * sizeof *a);
    }
    for (size_t i = 0; i < n; i++)
        sum += a[i] * a[i] * exp(-0.1 * b[i]);
    free(a);
    free(b);
    return sum;
}

/* The adjoint is zero where its tangent is not: all terms vanish at x = 1. */
static double squares(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double r = exp(x[i]) / exp(1) - sqrt(x[i]);
        sum += r * r + pow(x[i] - 1, 2) * log(1 + x[(i + 1) % n]);
    }
    return sum;
}

/* Numbers in unions, as words, behind function pointers, in floats. */
typedef double operation(double, double);
static double product(double a, double b) {
    return a * b;
}
static double ratio(double a, double b) {
    return a / (2 + b * b);
}
static operation *const operations[] = {product, ratio};

static double moved(const double *x, size_t n) {
    union {
        double number;
        uint64_t word;
    } u[8];
    uint64_t words[8];
    float narrow[8];
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        u[i].number = operations[i % 2](x[i], x[(i + 1) % n]);
        words[n - 1 - i] = u[i].word;
        narrow[i] = (float)(x[i] * x[i]);
    }
    for (size_t i = 0; i < n; i++) {
        double number;
        memcpy(&number, &words[i], sizeof number);
        sum += number * number * x[i] + (double)(narrow[i] * narrow[i]);
    }
    return sum;
}

/* 0.5 sum over i of (x_i^2 - x_{i+1})^2 + x_0 x_{n-1}: its Hessian has three diagonals and two corners. */
static double banded(const double *x, size_t n) {
    double sum = x[0] * x[n - 1];
    for (size_t i = 0; i + 1 < n; i++)
        sum += 0.5 * (x[i] * x[i] - x[i + 1]) * (x[i] * x[i] - x[i + 1]);
    return sum;
}

static double banded_element(const double *x, size_t n, size_t i, size_t k) {
    double found = (i == 0 && k == n - 1) || (k == 0 && i == n - 1) ? 1 : 0;
    if (i == k)
        found += (i + 1 < n ? 6 * x[i] * x[i] - 2 * x[i + 1] : 0) + (i > 0 ? 1 : 0);
    else if (i + 1 == k || k + 1 == i)
        found += -2 * x[i < k ? i : k];
    return found;
}

/* ---- Products ---- */

enum { N = 24 };

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef double function(const double *, size_t);

static void fill(double *x, double *v, double *w, size_t n, double at) {
    for (size_t i = 0; i < n; i++) {
        x[i] = at != 0 ? at : 0.9 + 0.3 * sin((double)(3 * i + 1));
        v[i] = cos((double)(5 * i));
        w[i] = sin((double)(7 * i + 2));
    }
}

/* Returns the norm of gradient(x + h v) - gradient(x - h v) - 2 h H v, which falls as h^3. */
static double remainder_of(function *f, const double *x, const double *v, const double *hv, size_t n, double h) {
    double moved_to[N], up[N], down[N], sum = 0;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n; i++)
            moved_to[i] = x[i] + (side == 0 ? h : -h) * v[i];
        EXPECT_OK(verso_gradient(f, moved_to, n, side == 0 ? up : down, NULL, NULL, &error));
    }
    for (size_t i = 0; i < n; i++)
        sum += fabs(up[i] - down[i] - 2 * h * hv[i]);
    return sum;
}

static void test_product(function *f, size_t n, double at, double rounding, const char *name) {
    double x[N], v[N], w[N], hv[N], hw[N], again[N], gradient[N], plain[N], scale;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    fill(x, v, w, n, at);
    EXPECT_OK(verso_hvp(f, x, n, v, hv, gradient, NULL, &report, &error));
    EXPECT_OK(verso_hvp(f, x, n, w, hw, NULL, NULL, NULL, &error));
    EXPECT_OK(verso_hvp(f, x, n, v, again, NULL, NULL, NULL, &error));
    EXPECT_OK(verso_gradient(f, x, n, plain, NULL, NULL, &error));
    EXPECT(report.value == f(x, n), "%s: value %.17g", name, report.value);
    EXPECT(memcmp(hv, again, n * sizeof *hv) == 0, "%s: repeating changes bits", name);
    for (size_t i = 0; i < n; i++)
        EXPECT(fabs(gradient[i] - plain[i]) <= 1e-12 * (1 + fabs(plain[i])), "%s: gradient %zu is %.17g, not %.17g",
               name, i, gradient[i], plain[i]);
    scale = sqrt(dot(hv, hv, n) * dot(w, w, n)) + 1e-300;
    EXPECT(fabs(dot(w, hv, n) - dot(v, hw, n)) <= rounding * scale, "%s: w'Hv %.17g, v'Hw %.17g", name, dot(w, hv, n),
           dot(v, hw, n));
    if (rounding > 1e-12)
        return; /* floats are too coarse for differences */
    double large = remainder_of(f, x, v, hv, n, 4e-3), small = remainder_of(f, x, v, hv, n, 1e-3);
    EXPECT(small <= large / 40 || small < 1e-10 * scale, "%s: remainders %.3g and %.3g", name, large, small);
}

/* ---- Budgets ---- */

enum { LONG = 2000 };

static void test_budgets(void) {
    static double x[LONG], v[LONG], w[LONG], whole[LONG], within[LONG];
    fill(x, v, w, LONG, 0);
    EXPECT_OK(verso_hvp(chain, x, LONG, v, whole, NULL, NULL, NULL, &error));
    for (uint64_t memory = 6400000; memory >= 3200000; memory /= 2) {
        verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        options.memory = memory;
        EXPECT_OK(verso_hvp(chain, x, LONG, v, within, NULL, &options, &report, &error));
        EXPECT(report.steps > 1 && report.peak_bytes <= memory, "%d steps, peak %zu within %d", (int)report.steps,
               report.peak_bytes, (int)memory);
        EXPECT(memcmp(whole, within, sizeof whole) == 0, "the budget of %d changes bits", (int)memory);
    }
}

/* ---- Regions ---- */

typedef struct model {
    double u[3];
    float s;
    double y[2];
} model;

static void run_model(void *context) {
    model *m = context;
    m->y[0] = m->u[0] * m->u[1] * m->u[2];
    m->y[1] = sin(m->u[0]) * (double)m->s;
}

static void test_regions(void) {
    model m = {{0.5, 2, -1.5}, 0.25f, {0, 0}};
    double du[3], ds[1], product[4];
    const double direction[4] = {1, 0.5, -2, 3};
    double weights[2] = {2, -1};
    const verso_array wrt[] = {{m.u, 3, VERSO_SCALAR_DOUBLE, du}, {&m.s, 1, VERSO_SCALAR_FLOAT, ds}};
    const verso_array of[] = {{m.y, 2, VERSO_SCALAR_DOUBLE, weights}};
    EXPECT_OK(verso_vjp_along(run_model, &m, wrt, 2, of, 1, direction, product, NULL, NULL, &error));
    const double a = 0.5, b = 2, c = -1.5, s = 0.25;
    EXPECT_CLOSE(du[0], 2 * b * c - cos(a) * s);
    EXPECT_CLOSE(product[0], 2 * (c * 0.5 + b * -2) + sin(a) * s * 1 - cos(a) * 3);
    EXPECT_CLOSE(product[1], 2 * (c * 1 + a * -2));
    EXPECT_CLOSE(product[2], 2 * (b * 1 + a * 0.5));
    EXPECT(fabs(product[3] + cos(a)) < 1e-6, "float: %.9g", product[3]);
}

/* ---- Matrices ---- */

static void test_dense(void) {
    double x[N], v[N], w[N], found[N * N];
    verso_jacobian_report report = VERSO_JACOBIAN_REPORT_INIT;
    fill(x, v, w, N, 0);
    EXPECT_OK(verso_hessian(banded, x, N, found, NULL, &report, &error));
    EXPECT(report.passes == N, "%d products", (int)report.passes);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++)
            EXPECT(fabs(found[i * N + k] - banded_element(x, N, i, k)) < 1e-12, "(%zu, %zu) is %.17g", i, k,
                   found[i * N + k]);
}

static void test_sparse(void) {
    static double x[LONG], v[LONG], w[LONG];
    verso_sparse *matrix = NULL;
    verso_jacobian_report report = VERSO_JACOBIAN_REPORT_INIT;
    fill(x, v, w, LONG, 0);
    EXPECT_OK(verso_hessian_sparse(banded, x, LONG, &matrix, NULL, &report, &error));
    EXPECT(matrix->entries == 3 * LONG, "%zu entries", matrix->entries);
    x[7] = 1.5;
    EXPECT_OK(verso_hessian_sparse(banded, x, LONG, &matrix, NULL, &report, &error));
    EXPECT(report.passes <= 8, "%d products", (int)report.passes);
    for (size_t i = 0; i < LONG; i++)
        for (size_t at = matrix->row_start[i]; at < matrix->row_start[i + 1]; at++)
            EXPECT(fabs(matrix->value[at] - banded_element(x, LONG, i, matrix->column[at])) < 1e-12, "(%zu, %zu) is %g",
                   i, matrix->column[at], matrix->value[at]);
    verso_sparse_free(matrix);
}

/* ---- What is refused ---- */

static double cube(double x) {
    return x * x * x;
}
static double record_cube(verso_call *call, double x) {
    verso_keep(call, &x, sizeof x);
    return cube(x);
}
static void sweep_cube(verso_call *call, double x) {
    call->argument[0] = 3 * x * x * call->result[0];
}
VERSO_CUSTOM_ADJOINT(cube, record_cube, sweep_cube, NULL);

static double custom(const double *x, size_t n) {
    return n > 0 ? cube(x[0]) : 0;
}

static void test_refusals(void) {
    double x[1] = {2}, v[1] = {1}, found[1] = {7};
    EXPECT(verso_hvp(custom, x, 1, v, found, NULL, NULL, NULL, &error) == VERSO_STATUS_INVALID &&
               strstr(error.message, "cube has an adjoint of its own") != NULL,
           "%s", error.message);
    EXPECT(found[0] == 7, "a refused product was written");
    EXPECT(verso_hvp(squares, x, 1, NULL, found, NULL, NULL, NULL, &error) == VERSO_STATUS_INVALID &&
               strstr(error.message, "`direction`") != NULL,
           "%s", error.message);
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    options.offload_directory = "/tmp";
    EXPECT(verso_hvp(squares, x, 1, v, found, NULL, &options, NULL, &error) == VERSO_STATUS_INVALID &&
               strstr(error.message, "offload") != NULL,
           "%s", error.message);
    EXPECT_OK(verso_gradient(custom, x, 1, found, NULL, NULL, &error)); /* a gradient it has */
    EXPECT_CLOSE(found[0], 12.0);
}

int main(void) {
    test_product(chain, N, 0, 1e-13, "chain");
    test_product(squares, 6, 1, 1e-13, "squares");
    test_product(moved, 8, 0, 1e-6, "moved");
    test_product(banded, N, 0, 1e-13, "banded");
    test_budgets();
    test_regions();
    test_dense();
    test_sparse();
    test_refusals();
    return failed;
}
