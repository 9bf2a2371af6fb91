/* Instructions on numbers, and expressions of every form on the right side. */
#include "tests/rev/harness.h"

static const double factor = 0.75;
#define OFFSET 0.125

rev void sums(double *s) {
    s[0] += s[1];
    s[1] -= 2 * s[2] + factor;
    s[2] += OFFSET - s[3];
    s[3] -= -s[0];
    s[0] += +s[2] - (s[3] - s[1]);
}

rev void products(double *s) {
    s[0] += s[1] * s[2] * s[3];
    s[1] -= s[2] / s[3];
    s[2] += s[3] * s[3] - s[0] * factor;
    s[3] += (s[0] + s[1]) * (s[0] - s[1]) / (2 + s[2] * s[2]);
    s[4] += s[0] / (1 + s[1] * s[1]) / (3 - s[3] / 10);
    s[0] += -(s[1] * (s[2] - s[4]) * (s[2] - s[4]));
}

rev void deep(double *s) {
    s[0] += sin(s[1] * exp(-s[2] * s[2]) + sqrt(s[3] * s[3] + 1)) / (2 + cos(s[1] + log(2 + s[3] * s[3])));
    s[1] -= pow(sin(s[0]) + 2, 1.5) * tanh(s[2] / (1 + s[3] * s[3]));
}

rev void choices(double *s) {
    s[0] += s[1] > s[2] ? s[1] * s[3] : s[2] / (1 + s[3] * s[3]);
    s[1] -= s[2] < 10 ? (s[3] > 10 ? s[0] : exp(s[3]) * s[2]) : 0;
    s[2] += 2 * (s[3] > 0.5 ? s[3] * s[3] : 0) + (s[0] >= 0 && s[1] != 0 ? s[1] : 1.0);
}

rev void casts(double *s) {
    s[0] += (double)s[1] * (float)2 + (int)3 + (double)(long)7.5;
    s[1] += (int)(s[2] > -9) * s[3] + sizeof(double) / 8 * s[2] + (5 % 3 + (1 << 2 | 1)) * s[0];
    s[2] -= 0x10 * 1e-2 * s[3] + 1.5e+1 * .5f * s[3] + 'a' * 1e-3;
}

rev void pointers(double *s) {
    *s += s[1] * *(s + 2);
    *(s + 3) -= *(&s[1] + 1) * s[0];
}

rev void exchanges(double *s) {
    swap(s[0], s[1]);
    neg(s[2]);
    s[3] += s[0] * s[2];
    swap(s[1], *(s + 3));
    rot(s[0], s[2], s[1]);
    rot(s[4], s[5], 2 * s[0] * s[1] + factor);
    rot(s[1], s[3], OFFSET);
    neg(s[0]);
}

rev void integers(double *s) {
    anc int k = 0;
    anc unsigned bits = 5;
    anc long product = 6;
    compute {
        k += 3;
        k++;
        --k;
        bits ^= 3u << k;
        product *= 7;
        product /= 21;
    }
    use {
        s[0] += s[k] * (int)bits + s[k - 1] * product;
        s[1] += s[2] * (k % 2 == 1 && !(k < 0));
    }
}

int main(int argc, char **argv) {
    static const harness_case cases[] = {CASE(sums, 4),  CASE(products, 5), CASE(deep, 4),      CASE(choices, 4),
                                         CASE(casts, 4), CASE(pointers, 4), CASE(exchanges, 6), CASE(integers, 4)};
    return harness_run(cases, sizeof cases / sizeof *cases, argc, argv);
}
