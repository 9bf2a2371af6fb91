/* at: 0.7,1.1
 * refused: link
 * message: adjoint_variadic\.c:[0-9]+: .*VERSO_CUSTOM_ADJOINT of norm: .*variable arguments.*pass a pointer
 * A custom adjoint of a function that is passed a large structure by value. */
#include <stddef.h>
#include <verso/native.h>

typedef struct large {
    double values[8];
} large;

static double norm(large l) {
    return l.values[0] * l.values[1];
}

static double norm_record(verso_call *call, large l) {
    (void)call;
    return norm(l);
}

static void norm_sweep(verso_call *call, large l) {
    (void)call, (void)l;
}

VERSO_CUSTOM_ADJOINT(norm, norm_record, norm_sweep, NULL);

double f(const double *x, size_t n) {
    return norm((large){{x[0], x[n - 1]}});
}
