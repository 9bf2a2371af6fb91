/* refused: run
 * main: own
 * flags: -fno-inline
 * message: no_tangent\.c:13: square has a custom adjoint but no tangent version
 * A custom adjoint that has no tangent version, in tangent mode. */
#include <stdio.h>
#include <verso/native.h>

static double square(double u) {
    return u * u;
}

static double square_record(verso_call *call, double u) {
    (void)call;
    return u * u;
}

static void square_sweep(verso_call *call, double u) {
    call->argument[0] = 2 * u * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, NULL);

static double f(const double *x, size_t n) {
    return square(x[0]) * x[n - 1];
}

int main(void) {
    double x[2] = {0.7, 1.1}, gradient[2], direction[2] = {1, 0}, derivative;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    if (verso_gradient(f, x, 2, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return 1;
    verso_status status = verso_directional(f, x, 2, direction, &derivative, &report, &error);
    printf("%s\n", error.message);
    return status == VERSO_STATUS_INVALID ? 0 : 1;
}
