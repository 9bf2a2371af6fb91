/* at: 0.5,1.2,-0.7
 * Fragments in C++: an object with a destructor lives in one, a reference comes in, a template has one. */
#include <array>
#include <cmath>
#include <cstddef>
#include <verso/native.h>

extern "C" double f(const double *x, std::size_t n);

template <typename number> static number norm(const std::array<number, 6> &values) {
    number sum = 0;
    verso_fragment_begin("norm");
    for (const number &value : values)
        sum += value * value;
    verso_fragment_end();
    return std::sqrt(sum);
}

struct scaled {
    double &target;
    double factor;
    ~scaled() { target *= factor; }
};

extern "C" double f(const double *x, std::size_t n) {
    double result = 1;
    std::array<double, 6> values{};
    std::array<long double, 6> others{};
    verso_fragment_begin("objects");
    {
        scaled later{result, x[0]};
        for (std::size_t i = 0; i < values.size(); i++)
            values[i] = std::sin(x[i % n]) * later.target;
        result += norm(values);
    }
    verso_fragment_end();
    for (std::size_t i = 0; i < others.size(); i++)
        others[i] = values[i] * result;
    return result * static_cast<double>(norm(others));
}
