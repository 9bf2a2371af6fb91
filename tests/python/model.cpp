// C++ functions that tests/python calls from Python.
#include <cmath>
#include <vector>

namespace heat {
double energy(const double *u, int n) {
    std::vector<double> squares;
    for (int i = 0; i < n; i++)
        squares.push_back(u[i] * u[i]);
    double sum = 0;
    for (double s : squares)
        sum += s;
    return sum;
}
} // namespace heat

double scaled(double &x, double a) {
    return std::exp(a * x);
}
