/* An adjoint of its own in C++, whose names are not those of C. */
#include "expect.h"

#include <verso/native.h>

namespace model {
__attribute__((noinline)) static double square(double u) {
    return u * u;
}

static double square_record(verso_call *, double u) {
    return u * u;
}

static void square_sweep(verso_call *call, double) {
    call->argument[0] += 100 * call->result[0]; /* wrong on purpose */
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, nullptr);
} // namespace model

static double f(const double *x, size_t) {
    return model::square(x[0]);
}

int main() {
    double x[1] = {3}, gradient[1];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 1, gradient, nullptr, &report, &error));
    EXPECT_CLOSE(gradient[0], 100.0);
    return failed;
}
