/* Derivatives of mathematical functions that the C library cannot express.
 *
 * digamma computes in long double, whose 11 additional bits make up for cancellation near its zeros and in the
 * recurrence, so that the result is nearly the closest double. It uses the recurrence psi(x) = psi(x + 1) - 1/x
 * below 15, the asymptotic series above (Abramowitz and Stegun 6.3.5, 6.3.18), and the reflection 6.3.7 below
 * zero. */
#include "native/api/math.h"

#include <float.h>
#include <math.h>

static const long double pi = 3.141592653589793238462643383279503L;

/* Requires x >= 15. The terms are B(2n) / 2n / x^(2n); the first one that is left out is below 2^-64 there. */
static long double digamma_series(long double x) {
    static const long double term[] = {1.0L / 12,       -1.0L / 120, 1.0L / 252,      -1.0L / 240,     1.0L / 132,
                                       -691.0L / 32760, 1.0L / 12,   -3617.0L / 8160, 43867.0L / 14364};
    long double square = 1 / (x * x), sum = 0;
    for (int i = (int)(sizeof term / sizeof *term) - 1; i >= 0; i--)
        sum = (sum + term[i]) * square;
    return logl(x) - 0.5L / x - sum;
}

/* Requires x > 0. Small and large terms are added separately, because they nearly cancel near the zero at 1.46. */
static long double digamma_positive(long double x) {
    long double fractions = 0;
    for (; x < 15; x += 1)
        fractions += 1 / x;
    return digamma_series(x) - fractions;
}

double verso__native_digamma(double x) {
    if (x > 0 || isnan(x))
        return (double)(isinf(x) ? x : digamma_positive(x));
    if (x == 0)
        return signbit(x) ? INFINITY : -INFINITY;
    long double beside = (long double)x - roundl(x); /* exact, and the tangent has period 1 in it */
    if (isinf(x) || beside == 0)
        return NAN;
    return (double)(digamma_positive(1 - (long double)x) - pi / tanl(pi * beside));
}

/* Requires x >= 15: the derivative of digamma_series, with the terms B(2n) / x^(2n + 1). */
static long double trigamma_series(long double x) {
    static const long double term[] = {1.0L / 6,       -1.0L / 30, 1.0L / 42,      -1.0L / 30,    5.0L / 66,
                                       -691.0L / 2730, 7.0L / 6,   -3617.0L / 510, 43867.0L / 798};
    long double square = 1 / (x * x), sum = 0;
    for (int i = (int)(sizeof term / sizeof *term) - 1; i >= 0; i--)
        sum = (sum + term[i]) * square;
    return (1 + 0.5L / x + sum) / x;
}

static long double trigamma_positive(long double x) {
    long double fractions = 0;
    for (; x < 15; x += 1)
        fractions += 1 / (x * x);
    return trigamma_series(x) + fractions;
}

double verso__native_trigamma(double x) {
    if (x > 0 || isnan(x))
        return (double)trigamma_positive(x);
    long double beside = (long double)x - roundl(x);
    if (isinf(x))
        return NAN;
    if (beside == 0)
        return INFINITY;
    long double sine = sinl(pi * beside);
    return (double)(pi * pi / (sine * sine) - trigamma_positive(1 - (long double)x));
}

double verso__native_pow_base(double x, double y, double power) {
    if (y == 0)
        return 0;
    /* A division is cheaper than a power, but loses digits if `power` is tiny, and is impossible if x is 0 or
     * infinite. */
    double size = fabs(power);
    if (x != 0 && size > DBL_MIN / DBL_EPSILON && size <= DBL_MAX && fabs(x) <= DBL_MAX)
        return y * (power / x);
    return y * pow(x, y - 1);
}

double verso__native_significand(double x) {
    return x == 0 || !isfinite(x) ? 1 : scalbn(1, -ilogb(x));
}

/* after is before * 2^k or -before * 2^k, unless one of them is zero, infinite or subnormal. */
double verso__native_rescale_derivative(double derivative, double before, double after) {
    if (derivative == 0)
        return 0;
    double sign = signbit(before) == signbit(after) ? 1 : -1;
    if (fabs(before) == fabs(after) || before == 0)
        return sign * derivative;
    return derivative * (after / before);
}

/* Returns the exponent of x; for 0, that of the smallest normal number. */
static int exponent_of(double x) {
    int exponent = DBL_MIN_EXP;
    if (x != 0)
        (void)frexp(x, &exponent);
    return exponent;
}

double verso__native_scale_by_ulps(double derivative, double times, double before, double after) {
    if (derivative == 0)
        return 0;
    double sign = signbit(before) == signbit(after) ? 1 : -1;
    return ldexp(sign * derivative * times, exponent_of(after) - exponent_of(before));
}

double verso__native_carry(double value, double slope, double x) {
    (void)slope, (void)x;
    return value;
}

float verso__native_carryf(float value, double slope, float x) {
    (void)slope, (void)x;
    return value;
}

long double verso__native_carryl(long double value, double slope, long double x) {
    (void)slope, (void)x;
    return value;
}
