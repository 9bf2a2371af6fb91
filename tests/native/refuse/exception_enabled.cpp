/* at: 0.7,1.1
 * refused: run
 * flags: -fexceptions
 * message: exception_enabled\.cpp:[0-9]+: .*exceptions cannot be differentiated
 * A C++ exception that is thrown and caught, with exceptions switched on. */
#include <cmath>
#include <cstddef>
#include <stdexcept>

static double logarithm(double u) {
    if (u <= 0)
        throw std::domain_error("not positive");
    return std::log(u);
}

extern "C" double f(const double *x, size_t n) {
    try {
        return logarithm(x[0]) * logarithm(x[n - 1] - 2);
    } catch (const std::domain_error &) {
        return x[0] * x[0];
    }
}
