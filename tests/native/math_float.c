/* at: 0.37,0.83,1.9,0.61
 * noise: 5e-6
 * The functions of math.h in single precision. */
#include <math.h>
#include <stddef.h>

static float elementary(float a, float b, float c) {
    return sinf(a) + 2 * cosf(b) + tanf(a) * asinf(b) + acosf(a) + atanf(c) + atan2f(a, c) + sinhf(a) * coshf(b) +
           tanhf(c) + asinhf(c) * acoshf(c) + atanhf(a) + expf(a) + exp2f(b) * expm1f(a) + logf(a) +
           log2f(b) * log10f(c) + log1pf(a) + ldexpf(b, 3) * scalbnf(a, -2);
}

static float others(float a, float b, float c) {
    float whole, fraction = modff(c * 3.3f, &whole);
    int exponent, quotient;
    return fraction * whole + frexpf(c, &exponent) + remquof(c, b, &quotient) + fmaf(a, b, c) * fmodf(c, a) +
           remainderf(b, a) + powf(a, b) + sqrtf(b) * cbrtf(c) + hypotf(a, c) + erff(a) + erfcf(b) * tgammaf(c) +
           lgammaf(a) + fmaxf(a, b) * fminf(c, b) + fdimf(c, a) + fabsf(a - c) + copysignf(b, -a) + floorf(c) * a +
           (float)exponent * (float)quotient * a;
}

double f(const double *x, size_t n) {
    (void)n;
    float a = (float)x[0], b = (float)x[1], c = (float)x[2];
    return elementary(a, b, c) * x[3] + others(a, b, c);
}
