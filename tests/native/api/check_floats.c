/* verso_check of functions that compute with floats: right derivatives hold, although differences are coarse and the
 * parts of a dot product agree in the digits of floats only; a wrong derivative is found all the same. */
#include "expect.h"

#include <math.h>
#include <stddef.h>
#include <verso/native.h>

enum { N = 64, SEEDS = 5 };

/* The inputs are rounded to floats. */
static double linear(const double *x, size_t n) {
    float a = (float)x[0], b = (float)x[n - 1];
    return (double)(a * 2 + b);
}

/* Each number of a row becomes another one, three times. */
#define ROWS(name, next) \
    static double name(const double *x, size_t n) { \
        float a[N], sum = 0; \
        for (int i = 0; i < N; i++) \
            a[i] = (float)(x[(size_t)i % n] * (i + 1) * 0.05); \
        for (int k = 0; k < 3; k++) \
            for (int i = 0; i < N; i++) \
                a[i] = (next); \
        for (int i = 0; i < N; i++) \
            sum += a[i] * (float)(i + 1); \
        return (double)sum; \
    }
ROWS(logistic, 1.f / (1.f + expf(-a[i])))
ROWS(leaky, a[i] > 0 ? a[i] : .1f * a[i])
ROWS(growing, (float)(exp((double)(a[i] - 1.f)) / 2.5))
ROWS(normal, a[i] / (float)sqrt((double)(a[i] * a[i] + .5f)))
ROWS(in_doubles, (float)(1. / (1. + exp(-(double)a[i]))))
ROWS(quotient, a[i] / (1.5f + a[N - 1 - i] * a[N - 1 - i]))
ROWS(power, tanhf(a[i]) * powf(1.f + a[i] * a[i], 0.3f))

__attribute__((noinline)) static float cube(float x) {
    return x * x * x;
}

static float cube_record(verso_call *call, float x) {
    return (void)call, cube(x);
}

static void cube_sweep(verso_call *call, float x) {
    call->argument[0] += 3.01 * (double)(x * x) * call->result[0];
}

static float cube_tangent(verso_call *call, float x) {
    call->result[0] = 3.01 * (double)(x * x) * call->argument[0];
    return cube(x);
}

VERSO_CUSTOM_ADJOINT(cube, cube_record, cube_sweep, cube_tangent);

static double wrong(const double *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += cube((float)x[i]);
    return (double)sum;
}

static const struct {
    const char *name;
    double (*f)(const double *x, size_t n);
    bool holds;
} functions[] = {
    {"linear", linear, true},   {"logistic", logistic, true}, {"leaky", leaky, true},
    {"growing", growing, true}, {"normal", normal, true},     {"quotient", quotient, true},
    {"power", power, true},     {"wrong", wrong, false},      {"in doubles", in_doubles, true},
};

int main(void) {
    static const double x[] = {0.3, 0.7, 1.1};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            verso_check_options options = VERSO_CHECK_OPTIONS_INIT;
            verso_check_report report = VERSO_CHECK_REPORT_INIT;
            options.seed = seed;
            EXPECT_OK(verso_check_gradient(functions[i].f, x, 3, &options, &report, &error));
            EXPECT(report.holds == functions[i].holds, "%s, seed %d: %s; dot products %.9g and %.9g, Taylor order %.3g",
                   functions[i].name, (int)seed, report.holds ? "holds" : "does not hold", report.dot_reverse,
                   report.dot_tangent, report.taylor_order);
        }
    printf(failed ? "\n" : " all derivatives\n");
    return failed;
}
