// verso_frozen in C++, in all three types.
#include <cmath>
#include <cstdio>
#include <verso/native.h>

static double f(const double *x, std::size_t) {
    float single = verso_frozen(static_cast<float>(x[0])) * static_cast<float>(x[0]);
    long double wide = verso_frozen(static_cast<long double>(x[1]) * x[1]) + x[1];
    return verso_frozen(x[0] * x[1]) * x[1] + static_cast<double>(single) + static_cast<double>(wide);
}

int main() {
    const double x[2] = {0.75, 1.5}, expected[2] = {0.75, 0.75 * 1.5 + 1};
    double gradient[2], tangent, direction[2] = {1, 1};
    verso_native_report report;
    verso_error error;
    if (verso_gradient(f, x, 2, gradient, nullptr, &report, &error) != VERSO_STATUS_OK ||
        verso_directional(f, x, 2, direction, &tangent, &report, &error) != VERSO_STATUS_OK)
        return std::puts(error.message), 1;
    bool right = gradient[0] == expected[0] && gradient[1] == expected[1] && tangent == expected[0] + expected[1];
    if (!right)
        std::printf("%.17g %.17g, tangent %.17g\n", gradient[0], gradient[1], tangent);
    return !right;
}
