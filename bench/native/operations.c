/* See operations.h. If the number depends on the values, the control flow is executed again. */
#include "bench/native/operations.h"

#include <math.h>

static int ilog2(double n) {
    return (int)(log(n) / log(2.0));
}

double operations_listing1(const double *x, int n, int t) {
    double count = 0;
    (void)n;
    for (int i = 1; i <= t; i++)
        count += 11 + 2 * (1 << (ilog2(t) - ilog2(1 + (int)fmod(x[0] * x[0] * x[0] * (double)i * 1007.0, (double)t))));
    return count;
}

double operations_det(const double *x, int n, int t) {
    double count = 0;
    (void)x, (void)n;
    for (double left = t; left >= 1; left--)
        count += 1 + left + 2 * (left - 1) * (left - 1);
    return count;
}

double operations_heat(const double *x, int n, int t) {
    double inner = sqrt((double)n) - 2;
    (void)x;
    return 15 * inner * inner * t + 2.0 * n;
}

double operations_nbody(const double *x, int n, int t) {
    double bodies = n / 7;
    (void)x;
    return t * (30 * bodies * (bodies - 1) / 2 + 6 * bodies) + 9 * bodies;
}

double operations_lorenz(const double *x, int n, int t) {
    (void)x, (void)n;
    return 80.0 * t;
}

double operations_sparse(const double *x, int n, int t) {
    (void)x;
    return 21.0 * n * t + 2.0 * n;
}

static double integrand(const double *x, double z) {
    return x[0] * sin(x[1] * z) * exp(-x[2] * z * z) + x[3] * z;
}

static double calls(const double *x, double a, double b, double fa, double fm, double fb, int depth) {
    double m = 0.5 * (a + b), l = integrand(x, 0.5 * (a + m)), r = integrand(x, 0.5 * (m + b));
    double coarse = (b - a) / 6 * (fa + 4 * fm + fb), fine = (b - a) / 12 * (fa + 4 * l + 2 * fm + 4 * r + fb);
    if (depth <= 0 || fabs(fine - coarse) < 1e-13)
        return 1;
    return 1 + calls(x, a, m, fa, l, fm, depth - 1) + calls(x, m, b, fm, r, fb, depth - 1);
}

double operations_rec(const double *x, int n, int t) {
    (void)n;
    return 45 * calls(x, 0, 10, integrand(x, 0), integrand(x, 5), integrand(x, 10), t) + 30;
}
