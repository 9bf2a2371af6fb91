/* Ancillas: constant or not, numbers, arrays and structures, in compute and by hand. */
#include "tests/rev/harness.h"

typedef struct point {
    double x, y;
    int tag;
} point;

/* NiLang's gradient of this is wrong: the ancilla begins with a value that depends on the input. */
rev void not_constant(double *s) {
    anc double t = s[0] * s[1];
    s[2] += t * t;
    s[3] += sin(t);
    t += s[2];
    s[0 + 3] -= t * s[2];
    t -= s[2];
}

rev void handed_over(double *s) {
    anc double t = s[0];
    t += s[1] * s[2];
    s[3] += t * t;
    drop t == s[0] + s[1] * s[2];
    anc double u = sin(s[3]);
    s[0] -= u;
    s[1] += u * s[0];
}

rev void constants(double *s) {
    const double h = 0.5 * s[0];
    const int k = 2;
    const double unit = 1.0 / k;
    s[2] += h * h * unit + s[1];
    {
        const double g = s[2] * h;
        s[3] += g * g * k;
    }
}

rev void arrays(double *s) {
    anc double t[3] = {0};
    anc double m[2][2] = {0};
    anc int count[2] = {0};
    compute {
        for (int i = 0; i < 3; i++)
            t[i] += s[i] * s[i + 1];
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 2; k++)
                m[i][k] += t[i] * t[k + 1];
        count[1] += 2;
    }
    use {
        s[4] += m[0][0] * m[1][1] - m[0][1] * m[1][0] * s[4 - count[1]] + t[2];
    }
}

rev void points(double *s) {
    anc point p = {0};
    anc point both[2] = {0};
    compute {
        p.x += s[0] * s[1];
        p.y += sin(s[2]);
        p.tag += 3;
        both[1].x += p.x * p.y;
        both[p.tag - 3].y += p.x;
        swap(both[0], both[1]);
    }
    use {
        s[3] += p.x * both[1].y - p.y * both[0].x * p.tag;
        anc point copy = p;
        s[4] += copy.x * copy.y;
    }
}

/* The ancilla lives longer than its compute: its bar must be taken back through the uncomputing, too. */
rev void lasting(double *s) {
    anc double t = s[0];
    for (int i = 0; i < 3; i++) {
        compute {
            t += s[1] * s[i + 1];
        }
        use {
            s[4] += t * t;
        }
    }
    s[5] += t * s[4];
}

/* What is computed is not an ancilla at all. */
rev void borrowed(double *s) {
    compute {
        s[0] -= s[1];
        s[2] += s[0] * s[0];
    }
    use {
        s[3] += s[2] * s[0];
    }
    s[0] += s[3] * s[2];
}

rev void nested(double *s) {
    anc double a = 0, b = 0;
    compute {
        a += s[0] * s[1];
        anc double c = 0;
        compute {
            c += a * a;
        }
        use {
            b += c * s[2];
        }
    }
    use {
        anc double d = 0;
        compute {
            d += a * b;
        }
        use {
            s[3] += sin(d) + b;
        }
    }
}

rev void by_hand(double *s) {
    for (int i = 0; i < 2; i++) {
        anc double t = 0;
        t += s[i] * s[i + 1];
        t += s[i];
        s[3] += t * t * t;
        t -= s[i];
        t -= s[i] * s[i + 1];
    }
}

int main(int argc, char **argv) {
    static const harness_case cases[] = {CASE(not_constant, 4),
                                         CASE(handed_over, 4),
                                         CASE(constants, 4),
                                         CASE(arrays, 5),
                                         CASE(points, 5),
                                         CASE(by_hand, 4)
#ifdef VERSO_REV_GENERATED /* in plain mode compute is not undone */
                                             ,
                                         CASE(lasting, 6),
                                         CASE(borrowed, 4),
                                         CASE(nested, 4)
#endif
    };
    return harness_run(cases, sizeof cases / sizeof *cases, argc, argv);
}
