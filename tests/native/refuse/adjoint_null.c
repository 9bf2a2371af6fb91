/* at: 0.7,1.1
 * refused: link
 * message: adjoint_null\.c:[0-9]+: .*VERSO_CUSTOM_ADJOINT of square: its record must be the name of a function
 * A custom adjoint without a function that records. */
#include <stddef.h>
#include <verso/native.h>

static double square(double u) {
    return u * u;
}

static void square_sweep(verso_call *call, double u) {
    call->argument[0] = 2 * u * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, NULL, square_sweep, NULL);

double f(const double *x, size_t n) {
    return square(x[0]) * x[n - 1];
}
