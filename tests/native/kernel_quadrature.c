/* at: 1,2,0.3,0.1,5.5
 * large: 1,2,0.3,0.1,11.5
 * Adaptive recursive quadrature of a function with parameters; x[4] is how deep it may go. */
#include <math.h>
#include <stddef.h>

static double integrand(const double *x, double z) {
    return x[0] * sin(x[1] * z) * exp(-x[2] * z * z) + x[3] * z;
}

static double simpson(const double *x, double a, double b, double fa, double fm, double fb, int depth) {
    double m = 0.5 * (a + b), left = integrand(x, 0.5 * (a + m)), right = integrand(x, 0.5 * (m + b));
    double coarse = (b - a) / 6 * (fa + 4 * fm + fb);
    double fine = (b - a) / 12 * (fa + 4 * left + 2 * fm + 4 * right + fb);
    if (depth <= 0 || fabs(fine - coarse) < 1e-13)
        return fine;
    return simpson(x, a, m, fa, left, fm, depth - 1) + simpson(x, m, b, fm, right, fb, depth - 1);
}

double f(const double *x, size_t n) {
    (void)n;
    return simpson(x, 0, 10, integrand(x, 0), integrand(x, 5), integrand(x, 10), (int)x[4]);
}
