/* at: 0.6,1.3,0.2
 * flags: -fno-inline
 * A function that calls itself twice, and one that calls itself inside a loop and in the argument of itself. */
#include <math.h>
#include <stddef.h>

static double tree(double u, int depth) {
    if (depth == 0)
        return sin(u);
    double left = tree(u * 0.7, depth - 1), right = tree(u + 0.1, depth - 1);
    return left * right + u;
}

static double ackermann_like(int m, double u) {
    if (m == 0)
        return u + 0.1;
    if (u > 1)
        return ackermann_like(m - 1, u * u * 0.25);
    return ackermann_like(m - 1, ackermann_like(m, u + 0.3));
}

static double series(const double *x, size_t n, int depth) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += depth > 0 ? x[i] * series(x, n - 1, depth - 1) : x[i] * x[i];
    return sum;
}

double f(const double *x, size_t n) {
    return tree(x[0], 4) + ackermann_like(3, x[2]) * x[1] + series(x, n, 3);
}
