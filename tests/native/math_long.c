/* at: 0.37,0.83,1.9,0.61
 * The functions of math.h in extended precision. */
#include <math.h>
#include <stddef.h>

static long double elementary(long double a, long double b, long double c) {
    return sinl(a) + 2 * cosl(b) + tanl(a) * asinl(b) + acosl(a) + atanl(c) + atan2l(a, c) + sinhl(a) * coshl(b) +
           tanhl(c) + asinhl(c) * acoshl(c) + atanhl(a) + expl(a) + exp2l(b) * expm1l(a) + logl(a) +
           log2l(b) * log10l(c) + log1pl(a) + ldexpl(b, 3) * scalbnl(a, -2);
}

static long double others(long double a, long double b, long double c) {
    long double whole, fraction = modfl(c * 3.3L, &whole);
    int exponent, quotient;
    return fraction * whole + frexpl(c, &exponent) + remquol(c, b, &quotient) + fmal(a, b, c) * fmodl(c, a) +
           remainderl(b, a) + powl(a, b) + sqrtl(b) * cbrtl(c) + hypotl(a, c) + erfl(a) + erfcl(b) * tgammal(c) +
           lgammal(a) + fmaxl(a, b) * fminl(c, b) + fdiml(c, a) + fabsl(a - c) + copysignl(b, -a) + floorl(c) * a +
           (long double)exponent * quotient * a;
}

double f(const double *x, size_t n) {
    (void)n;
    long double a = x[0], b = x[1], c = x[2];
    return (double)(elementary(a, b, c) * x[3] + others(a, b, c));
}
