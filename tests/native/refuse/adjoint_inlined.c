/* at: 0.7,1.1
 * refused: link
 * message: VERSO_CUSTOM_ADJOINT of square: clang may have inlined it
 * A function with an adjoint of its own that clang may inline: then there is no call left to have it. */
#include <stddef.h>
#include <verso/native.h>

static double square(double u) {
    return u * u;
}

static double square_record(verso_call *call, double u) {
    (void)call;
    return square(u);
}

static void square_sweep(verso_call *call, double u) {
    call->argument[0] += 2 * u * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, NULL);

double f(const double *x, size_t n) {
    return square(x[0]) * x[n - 1];
}
