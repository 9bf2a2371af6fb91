/* Derivatives of mathematical functions that the C library cannot express; called by code that cc/rules_math.c builds.
 */
#ifndef NATIVE_MATH_H
#define NATIVE_MATH_H

/* The derivative of lgamma; infinite at 0, not a number at the negative integers. */
double verso_native_digamma(double x);
/* The derivative of pow(x, y) by x; power is pow(x, y). */
double verso_native_pow_base(double x, double y, double power);
/* The derivative of significand(x), a power of two. */
double verso_native_significand(double x);
/* The derivative of a number whose sign and exponent were changed through its bits. */
double verso_native_rescaled(double derivative, double before, double after);
/* value, whatever the others are. To differentiated code, value with slope * x's derivative added to its own: this is
 * how lib/ gives a derivative to what another library computed. */
double verso_native_carry(double value, double slope, double x);
float verso_native_carryf(float value, double slope, float x);
long double verso_native_carryl(long double value, double slope, long double x);

#endif
