/* Derivatives of mathematical functions that the C library cannot express.
 *
 * digamma works in long double, whose 11 more bits take up what cancels near its zeros and in the recurrence, so that
 * the result is nearly the closest double. Below 15 the recurrence psi(x) = psi(x + 1) - 1/x, above it the asymptotic
 * series (Abramowitz and Stegun 6.3.5, 6.3.18), below zero the reflection 6.3.7. */
#include "native/math.h"

#include <float.h>
#include <math.h>

static const long double pi = 3.141592653589793238462643383279503L;

/* x >= 15: the terms B(2n) / 2n / x^(2n); the first that is left out is below 2^-64 there. */
static long double digamma_series(long double x) {
    static const long double term[] = {1.0L / 12,       -1.0L / 120, 1.0L / 252,      -1.0L / 240,     1.0L / 132,
                                       -691.0L / 32760, 1.0L / 12,   -3617.0L / 8160, 43867.0L / 14364};
    long double square = 1 / (x * x), sum = 0;
    for (int i = (int)(sizeof term / sizeof *term) - 1; i >= 0; i--)
        sum = (sum + term[i]) * square;
    return logl(x) - 0.5L / x - sum;
}

/* x > 0. Small and large terms are added apart: near the zero at 1.46 they nearly cancel. */
static long double digamma_positive(long double x) {
    long double fractions = 0;
    for (; x < 15; x += 1)
        fractions += 1 / x;
    return digamma_series(x) - fractions;
}

double verso_native_digamma(double x) {
    if (x > 0 || isnan(x))
        return (double)(isinf(x) ? x : digamma_positive(x));
    if (x == 0)
        return signbit(x) ? INFINITY : -INFINITY;
    long double beside = (long double)x - roundl(x); /* the tangent has period 1 in it, exactly */
    if (isinf(x) || beside == 0)
        return NAN;
    return (double)(digamma_positive(1 - (long double)x) - pi / tanl(pi * beside));
}

double verso_native_pow_base(double x, double y, double power) {
    if (y == 0)
        return 0;
    /* One division instead of a power, unless digits were lost in it or there is nothing to divide by. */
    double size = fabs(power);
    if (x != 0 && size > DBL_MIN / DBL_EPSILON && size <= DBL_MAX && fabs(x) <= DBL_MAX)
        return y * (power / x);
    return y * pow(x, y - 1);
}

double verso_native_significand(double x) {
    return x == 0 || !isfinite(x) ? 1 : scalbn(1, -ilogb(x));
}

/* after = before * 2^k or -before * 2^k, unless one of them is zero, infinite or subnormal. */
double verso_native_rescaled(double derivative, double before, double after) {
    if (derivative == 0)
        return 0;
    double sign = signbit(before) == signbit(after) ? 1 : -1;
    if (fabs(before) == fabs(after) || before == 0)
        return sign * derivative;
    return derivative * (after / before);
}

double verso_native_carry(double value, double slope, double x) {
    (void)slope, (void)x;
    return value;
}

float verso_native_carryf(float value, double slope, float x) {
    (void)slope, (void)x;
    return value;
}

long double verso_native_carryl(long double value, double slope, long double x) {
    (void)slope, (void)x;
    return value;
}
