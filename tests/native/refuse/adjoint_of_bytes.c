/* at: 0.7,1.1
 * refused: run
 * flags: -fno-inline
 * message: custom adjoint asks for the derivative of 0x[0-9a-f]+: that is not a multiple of 4
 * A custom adjoint asks for the derivative of something that is no number. */
#include <stddef.h>
#include <verso/native.h>

static double first(const double *x) {
    return x[0];
}

static double first_record(verso_call *call, const double *x) {
    (void)call;
    return x[0];
}

static void first_sweep(verso_call *call, const double *x) {
    verso_adjoint_add((const char *)x + 1, VERSO_SCALAR_DOUBLE, 1, call->result);
}

VERSO_CUSTOM_ADJOINT(first, first_record, first_sweep, NULL);

double f(const double *x, size_t n) {
    return first(x) * x[n - 1];
}
