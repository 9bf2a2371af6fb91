/* Derivatives of mathematical functions that the C library cannot express; called by code that
 * cc/rules/rules_math.c generates. */
#ifndef NATIVE_MATH_H
#define NATIVE_MATH_H

/* Returns the derivative of lgamma; infinite at 0, NaN at negative integers. */
double verso__native_digamma(double x);
/* Returns the derivative of digamma: infinite at 0 and at negative integers. */
double verso__native_trigamma(double x);
/* Returns the derivative of pow(x, y) with respect to x. `power` is pow(x, y). */
double verso__native_pow_base(double x, double y, double power);
/* Returns the derivative of significand(x), a power of two. */
double verso__native_significand(double x);
/* Returns the derivative of a number whose sign and exponent were changed through its bits. */
double verso__native_rescale_derivative(double derivative, double before, double after);
/* Returns derivative * times * ulp(after) / ulp(before), where each unit in the last place has the sign of its
 * number. */
double verso__native_scale_by_ulps(double derivative, double times, double before, double after);
/* Return `value`. In differentiated code, the derivative of the result is that of `value` plus slope times that
 * of x: this is how native/lib gives a derivative to a value that another library computed. */
double verso__native_carry(double value, double slope, double x);
float verso__native_carryf(float value, double slope, float x);
long double verso__native_carryl(long double value, double slope, long double x);

#endif
