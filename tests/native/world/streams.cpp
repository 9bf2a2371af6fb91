// What C++ prints while it is differentiated is printed once, for tests/cli/world.sh.
//
//     streams CUTS MEMORY
#include "../../support/cuts.h"
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <verso/native.h>

static double f(const double *x, std::size_t n) {
    double sum = 0;
    for (int i = 0; i < 10; i++) {
        for (std::size_t k = 0; k < n; k++)
            sum += std::sin(x[k] * i) * x[k];
        std::cout << "round " << i << ": " << sum << std::endl;
    }
    return sum;
}

int main(int argc, char **argv) {
    double x[3] = {0.7, 1.1, 0.25}, gradient[3];
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    if (argc != 3)
        return 2;
    std::uint64_t cuts = std::strtoull(argv[1], nullptr, 10);
    cut_at(cuts, 0);
    options.memory = std::strtoull(argv[2], nullptr, 10);
    if (verso_gradient(f, x, 3, gradient, &options, &report, &error) != VERSO_STATUS_OK) {
        std::cout << "refused: " << error.message << std::endl;
        return 1;
    }
    std::cout.precision(17);
    for (double one : gradient)
        std::cout << one << "\n";
    return (cuts > 0) != (report.recordings > 1);
}
