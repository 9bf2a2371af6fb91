/* Every mathematical function of C, by itself and inside another expression. */
#include "tests/rev/harness.h"

derivative(squared(x), 2 * x);
static double squared(double x) {
    return x * x;
}

#ifdef VERSO_REV_GENERATED
derivative(ratio(x, y)) = 1 / y, -r / y;
#endif
static double ratio(double x, double y) {
    return x / y;
}

rev void exponentials(double *s) {
    s[0] += exp(s[7]) * exp2(s[6]) + expm1(s[5]);
    s[1] -= log(s[7] + s[6]) * log2(s[5]) + log10(s[4]) / (1 + log1p(s[7]));
    s[2] += pow(s[7], s[6]) + pow(s[5], 3) + pow(2.5, s[4]) + ldexp(s[7], 2) + scalbn(s[6], -1) * scalbln(s[5], 1L);
    s[3] -= sqrt(s[7]) * cbrt(s[6]) + hypot(s[5], s[4]) + squared(s[7] * s[6]) * ratio(s[5], s[4]);
}

rev void trigonometry(double *s) {
    s[0] += sin(s[7]) * cos(s[6]) + tan(s[5] / 2);
    s[1] -= asin(s[7] / 2) + acos(s[6] / 2) * atan(s[5]) + atan2(s[7], s[4]);
    s[2] += sinh(s[7]) * cosh(s[6]) + tanh(s[5]);
    s[3] -= asinh(s[7]) + acosh(1.5 + s[6]) * atanh(s[5] / 2);
}

rev void specials(double *s) {
    s[0] += erf(s[7]) * erfc(s[6]) + lgamma(s[5]) + tgamma(1 + s[4]);
    s[1] -= j0(s[7]) * j1(s[6]) + jn(2, s[5]) + jn(3, s[4] * s[7]);
    s[2] += y0(s[7]) + y1(s[6]) * yn(2, 1 + s[5]);
    s[3] += lgamma(-0.5 - s[7] / 10) + fma(s[4], s[5], s[6]) * fma(s[7], 2, 1);
}

rev void pieces(double *s) {
    s[0] += fabs(s[7] - 3) * fabs(s[6] + 1) + fmax(s[7], s[6] + 5) * fmin(s[5], s[4] + 5);
    s[1] -=
        fdim(s[7] + 9, s[6]) * s[5] + fdim(s[4], 9) + fmod(s[7] + 7.5, 3 + s[6] / 100) * remainder(5.2 + s[5], 2.01);
    s[2] +=
        copysign(s[7], -s[6]) * copysign(s[5], 2) + floor(3.5 + s[4] / 10) * s[7] + ceil(s[6]) * 0 + trunc(7.3) * s[5];
    s[3] +=
        round(10.2) * s[4] + rint(3.1) * s[5] + nearbyint(2.2) * s[6] * lround(3.3) + nextafter(s[7], 9) * logb(8.0);
}

rev void singles(double *s) {
    s[0] += sinf((float)s[2]) * expf((float)s[3]) + sqrtf((float)s[2]) + powf((float)s[3], 1.5f);
    s[1] += sinl(s[2]) * (double)expl(s[3]) + tanhl(s[2]);
}

int main(int argc, char **argv) {
    static const harness_case cases[] = {CASE(exponentials, 8), CASE(trigonometry, 8), CASE(specials, 8),
                                         CASE(pieces, 8), CASE_WITHIN(singles, 4, 0.3, 1.7, 1e-6)};
    return harness_run(cases, sizeof cases / sizeof *cases, argc, argv);
}
