// Prints what verso_gradient says of two of the three.
#include <iostream>
#include <vector>
#include <verso/native.h>

extern "C" double first(const double *x, size_t n);
extern "C" double third(const double *x, size_t n);
extern "C" int plain(void);

int main() {
    std::vector<double> x{-10}, one(1), other(1);
    verso_gradient(first, x.data(), x.size(), one.data(), nullptr, nullptr, nullptr);
    verso_gradient(third, x.data(), x.size(), other.data(), nullptr, nullptr, nullptr);
    std::cout << one[0] << " " << other[0] << " " << plain() << "\n";
    return 0;
}
