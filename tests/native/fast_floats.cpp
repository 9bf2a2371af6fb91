/* at: 0.3,0.7,1.1,-0.4,0.9
 * flags: -Ofast -march=native
 * noise: 1e-5
 * Floats and doubles with fast-math and the machine's own vectors, in C++. */
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace {
constexpr std::size_t N = 48;
template <typename T> T soft(const std::array<T, N> &a) {
    T sum = std::accumulate(a.begin(), a.end(), T(0));
    return std::inner_product(a.begin(), a.end(), a.begin(), T(0)) / (T(1) + sum * sum);
}
} // namespace

extern "C" double f(const double *x, std::size_t n) {
    std::array<float, N> a;
    std::array<double, N> b;
    double total = 0;
    for (std::size_t i = 0; i < N; i++) {
        a[i] = static_cast<float>(x[i % n] * static_cast<double>(i + 1) * 0.05);
        b[i] = std::cos(x[(i * 3) % n]);
    }
    for (int k = 0; k < 6; k++) {
        float scale = soft(a);
        double shift = soft(b);
        for (std::size_t i = 0; i < N; i++) {
            a[i] = a[i] / std::sqrt(a[i] * a[i] + 0.5f) + scale * 0.1f;
            b[i] = b[i] * 0.9 + shift * static_cast<double>(a[N - 1 - i]);
        }
        total += b[static_cast<std::size_t>(k) * 7] + static_cast<double>(scale);
    }
    return total;
}
