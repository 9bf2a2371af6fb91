/* refused: link
 * message: VERSO_CUSTOM_ADJOINT of square: square_adjoint is its adjoint, but its type does not fit
 * An adjoint in one piece that lacks the argument. */
#include <stddef.h>
#include <verso/native.h>

__attribute__((noinline)) static double square(double u) {
    return u * u;
}

static void square_adjoint(verso_call *call) {
    call->argument[0] = call->result[0];
}

VERSO_ADJOINT(square, square_adjoint, NULL);

double f(const double *x, size_t n) {
    return square(x[0]) * x[n - 1];
}
