/* at: 0.7,1.1
 * refused: link
 * message: adjoint_type\.c:[0-9]+: .*square_sweep is its sweep, but its type does not fit
 * A custom adjoint whose function has other arguments. */
#include <stddef.h>
#include <verso/native.h>

static double square(double u) {
    return u * u;
}

static double square_record(verso_call *call, double u) {
    (void)call;
    return u * u;
}

static void square_sweep(verso_call *call, float u) {
    call->argument[0] = 2 * u * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, NULL);

double f(const double *x, size_t n) {
    return square(x[0]) * x[n - 1];
}
