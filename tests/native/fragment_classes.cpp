/* at: 0.5,1.2,-0.7
 * Fragments in C++: objects with destructors live in one, a reference comes in, a template has one. */
#include <cmath>
#include <cstddef>
#include <vector>
#include <verso/native.h>

extern "C" double f(const double *x, std::size_t n);

template <typename number> static number norm(const std::vector<number> &values) {
    number sum = 0;
    verso_fragment_begin("norm");
    for (const number &value : values)
        sum += value * value;
    verso_fragment_end();
    return std::sqrt(sum);
}

extern "C" double f(const double *x, std::size_t n) {
    double result = 1;
    double &place = result;
    verso_fragment_begin("objects");
    {
        std::vector<double> values(x, x + n);
        for (std::size_t i = 0; i < n; i++)
            values.push_back(std::sin(values[i]) * place);
        place += norm(values);
    }
    verso_fragment_end();
    std::vector<long double> others(x, x + n);
    return result * static_cast<double>(norm(others));
}
