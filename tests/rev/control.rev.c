/* Conditions and loops of every form. */
#include "tests/rev/harness.h"

rev void conditions(double *s) {
    if (s[0] > 1) {
        s[1] += s[0] * s[2];
    } else if (s[3] > 1)
        s[1] -= s[3] * s[3];
    else
        s[1] += sin(s[2]);
    if (s[2] < 0.8)
        s[3] += s[2] * s[1];
    if (s[1] > 0.5) {
        s[1] += s[0] * s[0];
    } else {
        s[1] -= s[0] * s[0];
    }
    fi(s[1] > 0.5) if (s[2] > 1) {
        s[2] += 1 + s[3] * s[3];
    }
    else if (s[2] > 0.5) {
        s[2] -= 0.75 + sin(s[3]) * sin(s[3]);
    }
    else {
        s[2] -= 5 + s[3] * s[3];
    }
    fi(s[2] > 2, s[2] > -3.5)
}

rev void ranges(double *s) {
    for (int i = 0; i < 4; i++)
        s[0] += s[i + 1] * i;
    for (int i = 1; i <= 4; ++i) {
        s[i] += s[i - 1] * s[5];
    }
    for (int i = 4; i > 0; i--) {
        s[i] -= s[i - 1] * s[5];
        s[6] += s[i];
    }
    for (int i = 4; i >= 1; i -= 2) {
        s[i] += s[i - 1] * s[i + 1];
    }
    for (size_t i = 0; i < 5; i += 2) {
        s[i] += s[i + 1] * s[i + 1];
    }
    for (unsigned i = 6; i-- > 1;) {
        s[i] += s[i - 1] * s[i - 1] / 8;
    }
    for (long i = 0; i != 3; i++) {
        s[i] -= s[i + 1] * s[6] / 4;
    }
    for (int i = 0; i <= 5; i += 5)
        for (int k = i; k < i; k++)
            s[k] += 100;
    for (unsigned char i = 1; i <= 3; i += 1)
        s[i] += s[i + 1] * s[i - 1] / 3;
    for (int i = 5; i > 0; i -= 3)
        s[i] += s[i - 1] * 0.5;
}

rev void whiles(double *s) {
    anc int k = 0;
    from(k == 0) while (k < 5) {
        s[0] += s[1] * k;
        s[1] -= s[0] * s[2] / 8;
        k++;
    }
    drop k == 5;
    anc int doubled = 1;
    from(doubled == 1) while (doubled < 20) {
        doubled *= 2;
        s[2] += sin(s[0]) / doubled;
    }
    drop doubled == 32;
    from(s[3] < 2) while (s[3] < 6) {
        s[3] += 2 + s[1] * s[1] / 100;
    }
}

rev void nested(double *s) {
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 4; k++) {
            if (k % 2 == 0) {
                s[k] += s[k + 1] * s[i + 4];
            } else {
                swap(s[k], s[k + 1]);
            }
        }
        if (i == 1) {
            rot(s[0], s[1], s[2]);
        }
    }
}

rev void unchecked(double *s) {
    nocheck {
        for (int i = 0; i < 2; i++) {
            anc double t = 0;
            compute {
                t += s[i] * s[i + 1];
            }
            use {
                s[3] += sin(t);
            }
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
        s[i] += s[3] * s[3];
#if 1
    s[0] += s[1] * s[2];
    s[2] -= s[0];
#elif 0
    s[0] += 7;
#else
    s[0] += 8;
#endif
    {
        s[1] += s[0];
        s[1] -= 3 * s[2] * s[0];
    }
    irrev {
        (void)s;
    };
}

int main(int argc, char **argv) {
    static const harness_case cases[] = {CASE(conditions, 4), CASE(ranges, 7), CASE(whiles, 4), CASE(nested, 7),
                                         CASE(unchecked, 4)};
    return harness_run(cases, sizeof cases / sizeof *cases, argc, argv);
}
