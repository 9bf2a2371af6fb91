/* A custom adjoint of a function that the compiler inlines when it compiles the file: the calls are gone before Verso
 * sees them, and so is the adjoint, without a word. The derivative that the user wrote is three times that of the code.
 */
#include "../api/expect.h"

#include <verso/native.h>

static double square(double u) {
    return u * u;
}

static double square_record(verso_call *call, double u) {
    (void)call;
    return u * u;
}

static void square_sweep(verso_call *call, double u) {
    call->argument[0] = 3 * 2 * u * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, NULL);

static double f(const double *x, size_t n) {
    return square(x[0]) + 0 * x[n - 1];
}

int main(void) {
    double x[2] = {0.5, 1}, gradient[2];
    verso_native_report report = {0};
    EXPECT_OK(verso_gradient(f, x, 2, gradient, NULL, &report), report);
    EXPECT_CLOSE(gradient[0], 3.0);
    printf("\n");
    return failed;
}
