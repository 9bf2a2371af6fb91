/* at: 0.7,1.1
 * refused: link
 * message: VERSO_CUSTOM_ADJOINT of square: clang has inlined it at .*adjoint_inlined\.c:26, .*--verso-noinline=square
 * A function with an adjoint of its own, by a macro that `verso cc` does not see through, that clang inlines: then
 * there is no call left to have it. */
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

#define OWN_ADJOINT(f) VERSO_CUSTOM_ADJOINT(f, f##_record, f##_sweep, NULL)
OWN_ADJOINT(square);

double f(const double *x, size_t n) {
    return square(x[0]) * x[n - 1];
}
