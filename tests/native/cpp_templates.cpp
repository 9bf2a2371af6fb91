/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-exceptions
 * C++: templates over types and sizes, std::array, lambdas that capture, constexpr tables, overloads, algorithms. */
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>

namespace {

template <typename T, std::size_t N> struct polynomial {
    std::array<T, N> coefficients;
    template <typename U> auto operator()(U at) const {
        U value = at * T(0);
        for (std::size_t i = N; i-- > 0;)
            value = value * at + coefficients[i];
        return value;
    }
};

template <typename F> double integrate(F function, double from, double to, int pieces) {
    double h = (to - from) / pieces, sum = 0;
    for (int i = 0; i < pieces; i++)
        sum += function(from + (i + 0.5) * h);
    return sum * h;
}

constexpr std::array<double, 3> weights{0.25, 0.5, 0.25};

template <typename... Rest> double sum_of(Rest... rest) {
    return (rest + ...);
}

} // namespace

extern "C" double f(const double *x, size_t n) {
    polynomial<double, 4> p{{x[0], x[1], x[2], 0.5}};
    polynomial<std::complex<double>, 2> q{{std::complex<double>(x[0], x[3]), x[1]}};
    std::array<double, 4> sorted;
    std::copy(x, x + n, sorted.begin());
    std::sort(sorted.begin(), sorted.end(), [&](double a, double b) { return p(a) > p(b); });
    double area = integrate([&p, scale = x[3]](double z) { return p(z) * std::exp(-scale * z); }, 0, x[1], 8);
    auto z = q(std::complex<double>(x[2], 0.3)) * std::polar(1.0, x[0]);
    double mean = std::inner_product(weights.begin(), weights.end(), sorted.begin(), 0.0);
    return area * mean + sum_of(z.real(), z.imag() * 2, sorted[3], std::max(x[0], x[1])) +
           std::accumulate(sorted.begin(), sorted.end(), 0.0, [](double a, double b) { return a * 0.5 + b * b; });
}
