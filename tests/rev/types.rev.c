/* Numbers of every type: float, complex, fixed, ulog, and instances of one function for several. */
#include <complex.h>

#include "tests/rev/harness.h"

/* ---- float ---- */

rev static void singles(float *s) {
    s[0] += s[1] * s[2] / (1 + s[3] * s[3]);
    anc float t = 0;
    compute {
        t += sqrtf(s[1] * s[1] + s[2] * s[2]);
    }
    use {
        s[3] -= t * 0.5f;
    }
    rot(s[0], s[1], s[2]);
}

/* ---- complex ---- */

rev static void numbers(double complex *z) {
    z[0] += z[1] * z[2] - z[3] / z[1] + 2.0 * I * z[2];
    z[1] -= cexp(z[2]) * csin(z[3]) + csqrt(z[0]) * conj(z[2]);
    anc double r = 0, a = 0;
    compute {
        r += cabs(z[0] * z[2]) + creal(z[1]) * cimag(z[2]);
        a += carg(z[2]) + r * cimag(z[1] * z[0]);
    }
    use {
        z[3] += r * z[2] + a * a * I;
    }
    swap(z[0], z[2]);
    neg(z[1]);
}

rev static void functions(double complex *z) {
    z[0] += clog(z[1]) * cpow(z[2], z[3]) + ctan(z[1] / 4) + ccos(z[2]);
    z[1] += csinh(z[2]) + ccosh(z[3]) * ctanh(z[0] / 8);
    z[2] -= casin(z[3] / 3) + cacos(z[1] / 50) * catan(z[3] / 3);
    z[3] += (casinh(z[0] / 9) + catanh(z[2] / 30)) * cacosh(2 + z[2] / 20) * cproj(z[1]);
}

/* ---- fixed ---- */

rev static void exact(fixed *x) {
    x[0] += x[1] * x[2] - x[3] / 3;
    x[1] -= sqrt(x[2]) + 0.25 * x[0];
    if (x[2] > x[3]) {
        x[0] += x[3];
    } else {
        x[0] -= x[2] * 2;
    }
    anc fixed t = 0;
    compute {
        t += x[0] * x[0];
    }
    use {
        x[3] += t + -x[1];
    }
    swap(x[0], x[1]);
    neg(x[2]);
}

/* ---- ulog ---- */

rev static void scale(ulog *u, double x) {
    *u *= rev_ulog(x);
}

rev void logs(double *s) {
    anc ulog u = rev_ulog(1);
    anc ulog w = rev_ulog(s[0]);
    compute {
        for (int i = 0; i < 3; i++)
            u *= rev_ulog(s[i + 1]);
        u /= w * rev_ulog(2);
        w *= u / rev_ulog(s[1]);
        scale(&u, s[2] * s[0]);
        w *= s[3];
    }
    use {
        s[4] += rev_ulog_value(u) + u * 2 - w / s[1];
        if (rev_ulog(2) < rev_ulog(3)) {
            s[4] += 1;
        }
    }
}

/* ---- Instances ---- */

rev static void norm(double *out, const double *x, passive int n) {
    anc double s = 0;
    compute {
        for (int i = 0; i < n; i++)
            s += x[i] * x[i];
    }
    use {
        *out += sqrt(s);
    }
}

rev static void mean_norm(double *out, const double *x, passive int n) {
    anc double t = 0;
    compute {
        norm(&t, x, n);
    }
    use {
        *out += t / n;
    }
}
rev_instantiate(norm, float, double, fixed);
rev_instantiate(mean_norm, float, fixed, long double);
rev_instantiate(norm, long double);

/* ---- All as changes of doubles ---- */

#ifdef VERSO_REV_GENERATED
#define EACH(action) \
    for (int i = 0; i < 4; i++) { \
        action; \
    }
/* Values of another type; derivatives as doubles (fixed) or of that type (float). */
#define WRAP(name, type, to, from, dtype) \
    static void name##_d(double *s) { \
        type x[4]; \
        EACH(x[i] = to(s[i])) \
        name(x); \
        EACH(s[i] = from(x[i])) \
    } \
    static void name##_d_inv(double *s) { \
        type x[4]; \
        EACH(x[i] = to(s[i])) \
        name##_inv(x); \
        EACH(s[i] = from(x[i])) \
    } \
    WRAP2(name, adj, type, to, from, dtype) \
    WRAP2(name, inv_adj, type, to, from, dtype) \
    WRAP2(name, jvp, type, to, from, dtype) \
    WRAP2(name, inv_jvp, type, to, from, dtype) \
    WRAP4(name, hvp, type, to, from, dtype) \
    WRAP4(name, inv_hvp, type, to, from, dtype)
#define WRAP2(name, variant, type, to, from, dtype) \
    static void name##_d_##variant(double *s, double *d) { \
        type x[4]; \
        dtype y[4]; \
        EACH(x[i] = to(s[i]); y[i] = (dtype)d[i]) \
        name##_##variant(x, y); \
        EACH(s[i] = from(x[i]); d[i] = (double)y[i]) \
    }
#define WRAP4(name, variant, type, to, from, dtype) \
    static void name##_d_##variant(double *s, double *a, double *b, double *c) { \
        type x[4]; \
        dtype u[4], v[4], w[4]; \
        EACH(x[i] = to(s[i]); u[i] = (dtype)a[i]; v[i] = (dtype)b[i]; w[i] = (dtype)c[i]) \
        name##_##variant(x, u, v, w); \
        EACH(s[i] = from(x[i]); a[i] = (double)u[i]; b[i] = (double)v[i]; c[i] = (double)w[i]) \
    }
WRAP(singles, float, (float), (double), float)
WRAP(exact, fixed, rev_fixed, rev_fixed_value, double)
/* Complex numbers are pairs of doubles. */
#define PAIRS(name) \
    static void name##_d(double *s) { \
        name((double complex *)s); \
    } \
    static void name##_d_inv(double *s) { \
        name##_inv((double complex *)s); \
    } \
    PAIRS2(name, adj) \
    PAIRS2(name, inv_adj) PAIRS2(name, jvp) PAIRS2(name, inv_jvp) PAIRS4(name, hvp) PAIRS4(name, inv_hvp)
#define PAIRS2(name, variant) \
    static void name##_d_##variant(double *s, double *d) { \
        name##_##variant((double complex *)s, (double complex *)d); \
    }
#define PAIRS4(name, variant) \
    static void name##_d_##variant(double *s, double *a, double *b, double *c) { \
        name##_##variant((double complex *)s, (double complex *)a, (double complex *)b, (double complex *)c); \
    }
PAIRS(numbers)
PAIRS(functions)

/* Exact to the last bit, there and back. */
static int fixed_wrong(void) {
    int wrong = 0;
    for (int k = 0; k < 50; k++) {
        fixed x[4], kept[4];
        EACH(x[i] = rev_fixed(0.5 + 0.013 * k + 0.1 * i))
        memcpy(kept, x, sizeof x);
        exact(x);
        exact_inv(x);
        wrong |= memcmp(kept, x, sizeof x) != 0;
    }
    return wrong ? printf("FAILED exact: not the same bits\n") : 0;
}

static int instances_wrong(void) {
    float xf[2] = {3, 4}, of = 0, ofb = 1, xfb[2] = {0};
    long double xl[2] = {3, 4}, ol = 0;
    double xd[2] = {3, 4}, od = 0;
    fixed xx[2] = {rev_fixed(3), rev_fixed(4)}, ox = rev_fixed(0);
    double oxb = 1, xxb[2] = {0};
    norm_double(&od, xd, 2);
    mean_norm_float(&of, xf, 2);
    mean_norm_float_adj(&of, &ofb, xf, xfb, 2);
    mean_norm_fixed(&ox, xx, 2);
    double value = rev_fixed_value(ox);
    mean_norm_fixed_adj(&ox, &oxb, xx, xxb, 2);
    mean_norm_long_double(&ol, xl, 2);
    double wrong = fabs(od - 5) + fabs(value - 2.5) + fabs(xxb[0] - 0.3) + fabs((double)xfb[1] - 0.4) +
                   fabs((double)ol - 2.5) + fabs(rev_fixed_value(ox)) + fabs((double)of);
    return wrong > 1e-6 ? printf("FAILED instances: off by %g\n", wrong) : 0;
}
#endif

int main(int argc, char **argv) {
    static const harness_case cases[] = {CASE_WITHIN(logs, 5, 0.4, 1.4, 1e-12)
#ifdef VERSO_REV_GENERATED
                                             ,
                                         CASE_WITHIN(singles_d, 4, 0.5, 1.5, 1e-6),
                                         CASE_WITHIN(exact_d, 4, 0.5, 1.5, 1e-12), CASE(numbers_d, 8),
                                         CASE(functions_d, 8)
#endif
    };
    int wrong = harness_run(cases, sizeof cases / sizeof *cases, argc, argv);
#ifdef VERSO_REV_GENERATED
    wrong |= fixed_wrong() | instances_wrong();
#endif
    return wrong != 0;
}
