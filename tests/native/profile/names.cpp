/* Functions whose names the linker sees otherwise than people do. */
#include <cstddef>
#include <cstdio>
#include <verso/native.h>

namespace waves {
template <typename T> __attribute__((noinline)) void step(T *u, size_t n, T speed) {
    for (size_t i = 1; i + 1 < n; i++)
        u[i] += speed * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];
}
} // namespace waves

static double simulate(const double *x, size_t n) {
    double u[64], sum = 0;
    for (size_t i = 0; i < 64; i++)
        u[i] = x[i % n];
    for (int i = 0; i < 50; i++)
        waves::step(u, size_t{64}, 0.01);
    for (double v : u)
        sum += v * v;
    return sum;
}

int main() {
    double x[] = {0.5, 1, 0.7}, gradient[3];
    verso_native_report report;
    verso_error error;
    if (verso_gradient(simulate, x, 3, gradient, nullptr, &report, &error) != VERSO_STATUS_OK)
        return std::fprintf(stderr, "%s\n", error.message), 1;
    return 0;
}
