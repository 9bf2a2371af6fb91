/* Unusual code: names that hide types, macros and comments in unusual places, aliases through indices, loops with
 * unusual bounds, ancillas with initial values, branches that change their conditions, recursive functions.
 * tests/rev/rev_check.sh runs all functions. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <verso/rev.h>

typedef double real;
typedef real vec3[3];
typedef double *dptr;
typedef struct point {
    real x, y;
    int tag;
} point;
typedef struct body {
    point p;
    vec3 v;
    float w[2];
} body, *bodyp;
#define N 3
#define SQ(a) ((a) * (a))
#define CC (1.5 + 2 * I)
#define LEN sqrt(SQ(b->v[0]) + SQ(b->v[1]) + 1)

rev void cubes(vec3 out, const vec3 x) {
    for (int i = 0; i < N; i++)
        out[i] += x[i] * x[i] * x[i];
}

rev void through(dptr y, const dptr x) {
    *y += *x * *x;
}

rev /* odd */ void /* comment */ comm /* here */ (double /* a */ *x /* b */, // c
                                                  double *y) {               /* d */
    *x /* e */ +=                                                            // f
        /* g */ sin(/* h */ *y /* i */) /* j */;                             /* k */
}

rev void fields(bodyp b, double *out) {
    anc double l = LEN;
    b->p.x += l * b->v[2];
    b->w[1] += (float)(b->p.x * b->w[0]);
    *out += SQ(b->p.x) * b->w[1];
    b->p.x -= l * b->v[2];
}

rev void complexes(double complex *z, double complex *w, double *r) {
    *z += *w * (CC * 2);
    *r += cabs(*z) + carg(*w * CC);
    *w += *z * conj(*z) * *r;
}

rev void recursive(double *x, double *y, passive int n) {
    if (n > 0) {
        *x += sin(*y) * n;
        recursive(y, x, n - 1);
        *y -= cos(*x);
    }
}

rev void vla(double *out, const double *x, passive int n) {
    anc double v[n] = {0};
    anc double w[2][N] = {0};
    compute {
        for (int i = 0; i < n; i++)
            v[i] += x[i] * x[n - 1 - i];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < N; j++)
                w[i][j] += v[(i + j) % n] * x[0];
    }
    use {
        for (size_t i = 0; i < sizeof w / sizeof *w; i++)
            for (size_t j = 0; j < sizeof *w / sizeof **w; j++)
                *out += w[i][j] * w[i][j];
    }
}

rev void noncon(double *x, double *y) {
    anc double t = x[0] * x[1];
    t += x[2];
    *y += t * t;
    x[0] += *y * 0.1;
    drop t == (x[0] - *y * 0.1) * x[1] + x[2];
}

rev void dropped(double *x, double *y) {
    anc double t = 0;
    t += x[0] * x[1];
    *y += exp(t);
    drop t == x[0] * x[1];
}

rev void down(double *x, double *y, passive unsigned n) {
    for (unsigned i = n; i-- > 1;) {
        x[i] += sin(x[i - 1]);
        for (unsigned k = i; k > 0; k -= 1)
            *y += x[k] * k;
    }
    for (int i = (int)n - 1; i >= 0; i -= 2)
        x[i] -= *y * 0.1;
    for (int i = 1; i <= (int)n - 1; i += 2)
        x[i] += 0.5 * x[i - 1];
}

rev void swaps(double *x, passive int i, passive int j) {
    swap(x[i], x[j]);
    x[i] += x[j + 1] * 2;
    neg(x[j]);
}

rev void ifs(double *x, double *y) {
    if (*x > 0.5) {
        *x -= 0.5;
        *y += SQ(*x);
    } else if (*x > 0.3) {
        *x -= 0.3;
        *y -= *x;
    } else {
        *y += 3 * *x;
    }
    fi(*y > -1, *y > 200)
}

rev void shadow(double *x, double *y, double *o) {
    anc double t = 0;
    compute {
        t += *x;
    }
    use {
        {
            anc double t = 0;
            compute {
                t += *y * *y;
            }
            use {
                *o += t;
            }
        }
        *o += t * *x;
    }
}

rev void counts(int *k, double *x, double *y) {
    anc int n = 0;
    from(n == 0) while (n < 5 - *k % 2) {
        n++;
        *x += *y * n;
        *y += sin(*x) / n;
    }
    drop n == 5 - *k % 2;
    *k *= 3;
    *k ^= 5;
}

enum mode { LINEAR, SQUARE = 5 };
typedef struct mat {
    int n;
    double a[3][3];
    struct {
        double lo, hi;
    } range;
} mat;
typedef struct box {
    mat m[2];
    const double *w;
} box;
static double outside = 2.5;
static double table[3] = {1, 2, 3};
rev void square(double *y, const double *x) {
    *y += *x * *x;
}

rev void cube(double *y, const double *x) {
    *y += *x * *x * *x;
}

rev void apply(double *y, const double *x, rev void (*f)(double *y, const double *x), passive int n) {
    for (int i = 0; i < n; i++)
        f(&y[i], &x[i]);
    undo f(&y[0], &x[1]);
}

rev void apply2(double *y, const double *x) {
    apply(y, x, cube, 3);
    undo apply(y, x, square, 2);
}

rev void modes(double *y, double x, passive enum mode m) {
    if (m == SQUARE)
        *y += x * x;
    else
        *y += x * outside * table[1];
}

rev void mats(mat *m, mat b, double *t) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; ++j) {
            anc double s = 0;
            compute {
                for (int k = 0; k < 3; k++)
                    s += m->a[i][k] * b.a[k][j];
            }
            use {
                *t += s * s * b.range.hi;
            }
        }
    m->range.lo += *t * b.range.hi;
    (*m).range.hi -= m->range.lo;
}

rev void ptrarith(double *x, double *y, passive int n) {
    for (int i = 0; i < n - 1; i++) {
        *(y + i) += *(x + i + 1) * *x;
        y[i + 1] -= (x + i)[1];
    }
}

rev void rowptr(double (*a)[3], double *out) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            *out += a[i][j] * a[i][(j + 1) % 3];
}

rev void ternary(double *y, const double *x) {
    *y += x[0] > 0.5 ? (x[1] > 0.5 ? sin(x[0]) : x[1] * x[1]) : x[0] / x[1];
    *y -= (x[2] > 0.1 ? x[2] : 1) * x[0];
}

rev void deep(double *y, const double *x) {
    *y += ((((x[0] * x[1] + 1) * (x[0] * x[1] + 1) / (x[2] + 1)) - pow(x[0], x[1])) * fmax(x[0], x[2]) +
           hypot(x[1], x[2] * -x[0])) *
              -(-(exp(-x[0]))) +
          fma(x[0], x[1], x[2]) - -x[2] + +x[1] + (int)x[0] * x[1] + floor(x[2]) * x[1];
}

rev void consts(double *y, const double *x, passive int n) {
    const int half = n / 2;
    const double h = x[0] * x[1], g = h * x[2];
    for (int i = half; i < n; i++)
        y[i] += h * x[i] + g * half;
}

rev void unsignedloop(double *x, passive unsigned char n) {
    for (unsigned char i = 0; i < n; i++)
        x[i + 1] += x[i] * i;
    for (size_t i = n; i != 0; i--)
        x[i] -= x[i - 1];
}

rev void undoblock(double *x, double *y) {
    undo {
        *x += sin(*y);
        *y -= *x * 0.5;
        anc double t = *x;
        *y += t;
    }
}

rev void nested(double *x, double *y, passive int n) {
    compute {
        for (int i = 0; i < n; i++) {
            x[i] += y[0] * i;
            compute {
                x[i] += y[1];
            }
            use {
                x[n + i] += x[i];
            }
        }
    }
    use {
        for (int i = 0; i < n; i++)
            y[2] += x[i] * x[i];
    }
}

rev void intexact(int *k, long *m, double *y) {
    *m += *k * 3;
    *k *= 4;
    *m -= *k / 2;
    *k /= 2;
    *y += *m * 0.5;
    *k ^= *m & 7;
}

rev void fromwhile(double *x, double *y) {
    anc double t = 0;
    anc int n = 0;
    compute {
        from(n == 0) while (t < 2) {
            t += *x * *x + 0.1;
            n++;
        }
    }
    use {
        *y += t * n;
    }
}

rev void pw(double *y, const double *x) {
    *y += pow(x[0], 3) + pow(2, x[1]) + cbrt(x[2]) + tgamma(x[0] + 1) + lgamma(x[1] + 1) + erf(x[2]) +
          atan2(x[0], x[1]) + log1p(x[0]) + expm1(x[1]) + j0(x[2]) + jn(2, x[0]) + remainder(x[0], 0.3) +
          fmod(x[1], x[0]);
}

rev void ldx(double *y, double x) {
    *y += ldexp(x, 3) + scalbn(x * x, 2) + fabs(x - 0.5) + copysign(x, -1) + fdim(x, 0.05) + asinh(x) + atanh(x) +
          acos(x) + exp2(x) + log2(x) + log10(x);
}

#define IDX(i, j) a[(i) * n + (j)]
#define ADD(y, x) y += x
#define TWICE(e) ((e) + (e))
#define LOOP for (int i = 0; i < n; i++)
typedef struct {
    double re, im;
} cpx;
typedef const double *cdp;
typedef double (*mat3)[3];
rev void gathers(double *y, const double *a, const double *b, passive int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                y[i * n + j] += IDX(i, k) * b[k * n + j] * IDX(0, 0);
}

rev void prefix(double *x, passive int n) {
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1] * x[i - 1];
}

rev void accum(double *s, double *x, passive int n) {
    for (int i = 0; i < n; i++) {
        *s += x[i] * x[i];
        x[i] += sin(*s);
    }
}

rev void condacc(double *s, const double *x, passive int n) {
    for (int i = 0; i < n; i++)
        if (x[i] > 0.5)
            *s += x[i] * x[i];
        else if (i % 2)
            *s -= x[i];
}

rev void reuse(double *o, const double *x, passive int n) {
    anc double m = 0, v = 0;
    compute {
        for (int i = 0; i < n; i++)
            m += x[i] / n;
        for (int i = 0; i < n; i++)
            v += (x[i] - m) * (x[i] - m);
    }
    use {
        o[0] += v;
        o[1] += m * m;
        o[2] += m * v;
    }
}

rev void partial(double *o, double *x) {
    anc double t = 0;
    t += x[0] * x[1];
    compute {
        t += x[2];
    }
    use {
        o[0] += t * t;
    }
    o[1] += t;
    t -= x[0] * x[1];
}

rev void chain(double *x) {
    compute {
        x[0] += x[1];
        x[1] += x[0] * 0.5;
    }
    use {
        x[2] += x[0] * x[1];
        compute {
            x[3] += x[0];
        }
        use {
            x[4] += x[3] * x[3];
        }
    }
}
#if 1
rev void chosen(double *x) {
#ifdef NEVER
    x[0] += 1;
#else
    x[0] += x[1] * x[1];
#endif
    x[2] -= TWICE(x[0] * x[1]);
}
#endif
rev void cdps(double *y, cdp x, mat3 m) {
    *y += x[0] * x[1];
    for (int i = 0; i < 3; i++)
        m[i][i] += *y * m[i][(i + 1) % 3];
}

rev void cpxs(cpx *a, cpx b) {
    a->re += b.re * b.re - b.im * b.im;
    a->im += 2 * b.re * b.im;
}

rev void callsby(cpx *a, cpx *b) {
    anc cpx t = {0};
    compute {
        t.re += b->im * b->re;
        t.im += b->re;
    }
    use {
        cpxs(a, t);
    }
}

rev void strides(double *x, passive int n, passive int s) {
    for (int i = n - 1; i >= 0; i -= s)
        x[i] += x[n] * i;
    for (int i = 0; i < n; i += s)
        x[n] += x[i];
}

rev void emptyloop(double *x, passive int n) {
    for (int i = n; i < 2; i++)
        x[i] += x[5];
    for (int i = 5; i > n; --i)
        x[i - n] += x[7] * x[7];
}

rev void bools(double *x, passive bool b, passive char c) {
    if (b && c)
        x[0] += x[1];
    else
        x[0] -= x[1] * x[1];
    if (!b || c == 'a')
        x[1] += sin(x[0]);
}

rev void ancif(double *x) {
    anc double t = x[0] > 0.2 ? x[1] * x[1] : x[2];
    x[3] += t * t;
}

rev void rots(double *x, double *t) {
    for (int i = 0; i < 3; i++) {
        rot(x[i], x[i + 1], *t * x[4] + i);
        rot(x[i], x[3], 0.1);
    }
}

rev void selfrec(double *x, passive int lo, passive int hi) {
    if (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        selfrec(x, lo, mid);
        selfrec(x, mid, hi);
        for (int i = lo; i < mid; i++)
            x[i] += x[mid] * x[mid];
    }
}

rev void intpar(int *k, double *x) {
    if (*k > 2) {
        *k -= 3;
        x[0] += x[1] * *k;
    } else {
        *k += 10;
        x[0] -= x[1];
    }
    fi(*k < 9)
}

rev void selfref(double *x, passive const int *p, passive int n) {
    for (int i = 0; i < n; i++)
        x[p[i]] += x[p[i] + 1] * x[p[i] + 1];
}

/* What a float has lost, a double made of it has lost, too. */
rev void mixed(float complex *a, double complex *b, double *r) {
    *b += *a * *r;
    *r += creal(*b * conj(*a));
    *a += 0.5f * (float)*r;
}

/* Indices and steps that change while they are used; loops without a turn. */
rev void idx(double *x, int *k) {
    x[*k] += x[*k + 1] * x[*k + 1];
    *k += 1;
    x[*k] += sin(x[*k - 1]);
    *k -= 1;
}

rev void idx2(double *x, int *k) {
    for (int i = 0; i < 3; i++) {
        x[k[i]] += x[5] * x[5];
        k[i] += 1;
        x[5] += 0.1 * x[k[i] + 6];
    }
}

rev void gath(double *y, const double *x, int *k, passive int n) {
    for (int i = 0; i < n; i++) {
        *y += x[*k] * x[i];
        *k += i % 2;
    }
}

rev void gath2(double *y, const double *x, passive int n) {
    anc int k = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            y[i] += x[k] * x[j];
        }
        k++;
    }
    drop k == n;
}

rev void inner(double *y, double *x, passive int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            y[0] += x[i] * x[j];
            x[n] += y[0];
        }
    }
}

rev void zero(double *y, const double *x, passive int n) {
    for (int i = 0; i < n - 4; i++)
        y[0] += x[0] * x[0];
    for (int i = 0; i < n - 4; i++)
        for (int j = 0; j < 2; j++)
            y[1] += x[1000000] * x[j];
}

rev void stepvar(double *x, passive int n) {
    anc int s = 1;
    s += 1;
    for (int i = 0; i < n; i += s)
        x[i] += x[n] * x[n];
    s -= 1;
}

rev void uncomp(double *x) {
    anc double t[2] = {0};
    compute {
        t[0] += x[0];
        t[1] += t[0] * x[1];
        t[0] -= t[1] * 0.5;
        swap(t[0], t[1]);
        neg(t[0]);
    }
    use {
        x[2] += t[0] * t[1];
    }
}

/* Names that the program of the tests had used itself. */
rev void p(double *y, const double *x) {
    *y += *x * *x;
}
rev void what(double *p, const double *what) {
    *p += sin(*what);
}
