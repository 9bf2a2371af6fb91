/* at: 0.7,1.1
 * refused: run
 * flags: -fno-inline
 * message: verso_keep was called outside the `record` of a custom adjoint
 * A custom adjoint keeps something in its sweep. */
#include <stddef.h>
#include <verso/native.h>

static double square(double u) {
    return u * u;
}

static double square_record(verso_call *call, double u) {
    (void)call;
    return u * u;
}

static void square_sweep(verso_call *call, double u) {
    verso_keep(call, &u, sizeof u);
    call->argument[0] = 2 * u * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, NULL);

double f(const double *x, size_t n) {
    return square(x[0]) * x[n - 1];
}
