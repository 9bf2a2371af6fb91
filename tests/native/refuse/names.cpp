/* at: 0.7,1.1
 * refused: link
 * message: error: double reading::parse<std::basic_string_view<.*>.* calls std::from_chars\(char const\*, char const\*,
 * double& Names of C++ are shown as the program has them. */
#include <charconv>
#include <cstddef>
#include <string_view>

namespace reading {
template <typename T> __attribute__((noinline)) double parse(const T &text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}
} // namespace reading

extern "C" double f(const double *x, size_t n) {
    return reading::parse(std::string_view("1.5")) * x[n - 1];
}
