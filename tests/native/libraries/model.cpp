/* A C++ library: a constructor of a global object, containers, strings of the C++ library. */
#include <cmath>
#include <map>
#include <string>
#include <vector>
#include <verso/native.h>

namespace {
struct table {
    std::map<std::string, double> factors;
    table() {
        factors["sine"] = 2;
        factors["a name that is too long for a string without memory of its own"] = 3;
    }
} all;

double value(const double *x, size_t n) {
    std::vector<double> work(x, x + n);
    double sum = 0;
    for (auto &number : work)
        number = all.factors["sine"] * std::sin(number);
    for (double number : work)
        sum += number * number;
    return sum;
}
} // namespace

extern "C" verso_status cpp_gradient(const double *x, size_t n, double *gradient, verso_error *error) {
    std::string name = "cpp";
    name += " takes and frees memory of the library, in this call and in the next";
    all.factors[name] += 1;
    return verso_gradient(value, x, n, gradient, nullptr, nullptr, error);
}
