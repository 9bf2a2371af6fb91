/* at: 0.37,0.83,1.9,0.61
 * Every real function of math.h in double precision that has a derivative. */
#include <math.h>
#include <stddef.h>

static double trigonometric(double a, double b, double c) {
    return sin(a) + 2 * cos(b) + tan(a) * asin(b) + acos(a) + 3 * atan(c) + atan2(a, c) * atan2(-c, b);
}

static double hyperbolic(double a, double b, double c) {
    return sinh(a) * cosh(b) + tanh(c) + asinh(c) * acosh(c) + atanh(a);
}

static double exponential(double a, double b, double c) {
    return exp(a) + exp2(b) * expm1(a) + log(a) + log2(b) * log10(c) + log1p(a) + logb(c) * a + ldexp(b, 3) +
           scalbn(a, -2) * scalbln(c, 1L);
}

static double powers(double a, double b, double c) {
    return pow(a, b) + pow(c, a) * sqrt(b) + cbrt(c) + hypot(a, c) + hypot(b, -a) + pow(c, 3) + pow(b, -0.5);
}

static double special(double a, double b, double c) {
    return erf(a) + erfc(b) * tgamma(c) + lgamma(a) + lgamma(c + 2) * tgamma(b + 1);
}

static double parts(double a, double b, double c) {
    double whole, fraction = modf(c * 3.3, &whole);
    int exponent, quotient;
    double mantissa = frexp(c, &exponent), rest = remquo(c, b, &quotient);
    return fraction * whole + mantissa * exponent * a + rest * quotient + fma(a, b, c) * fmod(c, a) + remainder(b, a);
}

static double rounding(double a, double b, double c) {
    return floor(a) * b + ceil(b) * c + nearbyint(c) * a + rint(c * 1.2) * b + round(c) * c + trunc(c) * a +
           (double)(lrint(c) + llrint(b) + lround(a) + llround(c)) * a + ilogb(c) * b + nextafter(a, b) * c;
}

double f(const double *x, size_t n) {
    (void)n;
    double a = x[0], b = x[1], c = x[2], d = x[3];
    return trigonometric(a, b, c) + hyperbolic(a, b, c) * d + exponential(a, b, c) * d * d + powers(a, b, c) +
           special(a, b, c) / d + parts(a, b, c) + rounding(a, b, c) * d + fmax(a, b) * fmin(c, d) + fdim(c, d) +
           fabs(a - c) + copysign(d, -a);
}
