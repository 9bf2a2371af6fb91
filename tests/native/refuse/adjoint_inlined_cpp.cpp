/* at: 0.7
 * refused: link
 * message: VERSO_CUSTOM_ADJOINT of sim::square\(double\): clang has inlined it at .* with --verso-noinline=_ZN3sim6squareEd
 * In C++ `verso cc` does not know which function the macro names, and the option takes the mangled name. */
#include <cstddef>
#include <verso/native.h>

namespace sim {
double square(double u) {
    return u * u;
}
} // namespace sim
using sim::square;

static double square_record(verso_call *, double u) {
    return u * u;
}

static void square_sweep(verso_call *call, double u) {
    call->argument[0] += 2 * u * call->result[0];
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, nullptr);

extern "C" double f(const double *x, size_t n) {
    return square(x[0]) + square(x[n - 1]);
}
