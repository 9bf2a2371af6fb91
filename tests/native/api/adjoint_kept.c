/* Functions with an adjoint of their own that clang would inline: `verso cc` keeps their calls, because the file names
 * them. The adjoints are wrong on purpose, so that it shows when they are used. */
#include "expect.h"

#include <verso/native.h>

static double square(double u) {
    return u * u;
}

static double square_record(verso_call *call, double u) {
    (void)call;
    return square(u); /* may be inlined: it is not differentiated */
}

static void square_sweep(verso_call *call, double u) {
    (void)u;
    call->argument[0] += 100 * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, NULL);

double cube(double u);

double cube(double u) {
    return u * u * u;
}

static void cube_adjoint(verso_call *call, double u) {
    (void)u;
    call->argument[0] += 1000 * call->result[0];
}

VERSO_ADJOINT(cube, cube_adjoint, NULL);

static inline __attribute__((always_inline)) double fourth(double u) {
    return u * u * u * u;
}

static double fourth_record(verso_call *call, double u) {
    (void)call;
    return u * u * u * u;
}

static void fourth_sweep(verso_call *call, double u) {
    (void)u;
    call->argument[0] += 10000 * call->result[0];
}

VERSO_CUSTOM_ADJOINT(fourth, fourth_record, fourth_sweep, NULL);

static double f(const double *x, size_t n) {
    return square(x[0]) + (double)n * cube(x[0]) + fourth(x[0]);
}

int main(void) {
    double x[1] = {3}, gradient[1];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 1, gradient, NULL, &report, &error));
    EXPECT_CLOSE(gradient[0], 11100.0);
    return failed;
}
