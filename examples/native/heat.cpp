/* heat.c in C++, as a program that computes its own gradient and compares it with a difference.
 *
 *     build/verso c++ -O2 examples/native/heat.cpp -o heat && ./heat */
#include <cmath>
#include <cstdio>
#include <vector>
#include <verso/native.h>

static double misfit(const double *field, size_t n) {
    std::vector<double> now(field, field + n), next(n);
    for (int step = 0; step < 500; step++) {
        for (size_t i = 0; i < n; i++) {
            const double left = now[(i + n - 1) % n], right = now[(i + 1) % n];
            next[i] = now[i] + (0.1 + 0.05 * now[i] * now[i]) * (left - 2 * now[i] + right);
        }
        now.swap(next);
    }
    double sum = 0;
    for (const double u : now)
        sum += (u - 0.5) * (u - 0.5);
    return sum;
}

int main() {
    const size_t n = 16;
    std::vector<double> field(n), gradient(n);
    for (size_t i = 0; i < n; i++)
        field[i] = std::exp(-0.1 * (i - 8.0) * (i - 8.0));
    verso_native_report report;
    verso_error error;
    if (verso_gradient(misfit, field.data(), n, gradient.data(), nullptr, &report, &error) != VERSO_STATUS_OK)
        return std::fprintf(stderr, "%s\n", error.message), 1;

    const double h = 1e-6;
    field[8] += h;
    const double above = misfit(field.data(), n);
    field[8] -= 2 * h;
    const double below = misfit(field.data(), n), difference = (above - below) / (2 * h);
    std::printf("derivative with respect to the warmest place: %.9f, by a difference %.9f\n", gradient[8], difference);
    return std::fabs(gradient[8] - difference) < 1e-7 ? 0 : 1;
}
