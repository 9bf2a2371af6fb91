/* at: 0.7,1.1,0.25,2.0
 * noise: 1e-6
 * _Generic and tgmath.h: one name for float, double, long double and complex. */
#include <complex.h>
#include <stddef.h>
#include <tgmath.h>

static float twice_float(float u) {
    return 2 * u;
}

static double twice_double(double u) {
    return 2 * u * u;
}

static long double twice_long(long double u) {
    return 2 * u + 1;
}

#define TWICE(u) _Generic((u), float: twice_float, long double: twice_long, default: twice_double)(u)

double f(const double *x, size_t n) {
    (void)n;
    float a = (float)x[0];
    long double b = x[1];
    double complex z = x[2] + x[3] * I;
    double sum = TWICE(a) * TWICE(x[2]) + (double)TWICE(b) + TWICE(3) * x[3];
    return sum + sqrt(a) + sin(x[1]) + (double)exp(-b) + fabs(z) + creal(exp(z)) + pow(x[0], a);
}
