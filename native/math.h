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

#endif
