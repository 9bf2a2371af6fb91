/* at: 0.9,0.4
 * cuts: 20
 * flags: -fno-inline
 * Ten thousand calls deep, each with numbers of its own on the stack. */
#include <math.h>
#include <stddef.h>

static double deep(double u, int n, const double *x) {
    double local[3] = {u, u * u, x[1]};
    if (n == 0)
        return local[0] + local[1];
    double below = deep(u * 0.999 + 0.001 * sin(u), n - 1, x);
    return below * 0.9999 + local[n % 3] * 1e-4;
}

double f(const double *x, size_t n) {
    (void)n;
    return deep(x[0], 10000, x) + deep(x[1], 3, x);
}
