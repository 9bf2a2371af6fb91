/* at: 0.7,1.1
 * refused: link
 * message: adjoint_twice\.c:[0-9]+: .*VERSO_CUSTOM_ADJOINT of square: its adjoint in two pieces is there twice; remove
 * one Two custom adjoints of one function. */
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
    call->argument[0] = 2 * u * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, NULL);

typedef void (*any_function)(void);
__attribute__((used)) static const struct verso__custom_adjoint verso__custom_adjoint_again = {
    (any_function)square, (any_function)square_record, (any_function)square_sweep, NULL};

double f(const double *x, size_t n) {
    return square(x[0]) * x[n - 1];
}
