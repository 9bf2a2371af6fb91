/* Tests the reversible library, function by function, against straightforward C: each case has one array of numbers,
 * on which the function and its reference work.
 *
 * In plain mode it only runs forward. With -DLIBRARY_GENERATED, after `verso rev` of every file, it also checks that
 * the inverse restores the numbers, that tangent and adjoint agree in a dot product, that the tangent agrees with
 * differences of the function, and the tangent of the adjoint with differences of the adjoint. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBRARY_GENERATED
#include "library/leapfrog.c"
#include "library/lognumbers.c"
#include "library/matrices.c"
#include "library/softmax.c"
#include "library/sparse.c"
#include "library/transforms.c"
#include "library/vectors.c"
#else
#include "rev/library/leapfrog.rev.c"
#include "rev/library/lognumbers.rev.c"
#include "rev/library/matrices.rev.c"
#include "rev/library/softmax.rev.c"
#include "rev/library/sparse.rev.c"
#include "rev/library/transforms.rev.c"
#include "rev/library/vectors.rev.c"
#endif

enum { MOST = 200 };

/* ---- References ------------------------------------------------------------------------------------------------- */

static void plain_sum(double *v) {
    for (int i = 1; i <= 7; i++)
        v[0] += v[i];
}

static void plain_mean(double *v) {
    double sum = 0;
    for (int i = 1; i <= 7; i++)
        sum += v[i];
    v[0] += sum / 7;
}

static void plain_dot(double *v) {
    for (int i = 0; i < 7; i++)
        v[0] += v[1 + i] * v[8 + i];
}

static void plain_axpy(double *v) {
    for (int i = 0; i < 7; i++)
        v[i] += v[7] * v[8 + i];
}

static void plain_sqdistance(double *v) {
    for (int i = 0; i < 7; i++)
        v[0] += pow(v[1 + i] - v[8 + i], 2);
}

static void plain_norm(double *v) {
    double square = 0;
    for (int i = 1; i <= 7; i++)
        square += pow(v[i], 2);
    v[0] += sqrt(square);
}

static void plain_var(double *v) {
    double sum = 0, square = 0;
    for (int i = 2; i < 9; i++) {
        sum += v[i];
        square += v[i] * v[i];
    }
    v[0] += sum / 7;
    v[1] += square / 7 - sum / 7 * (sum / 7);
}

static void plain_affine(double *v) {
    double *y = v, *w = v + 4, *b = v + 16, *x = v + 20;
    for (int i = 0; i < 4; i++)
        y[i] += b[i] + w[3 * i] * x[0] + w[3 * i + 1] * x[1] + w[3 * i + 2] * x[2];
}

static void plain_matmul(double *v) {
    double *c = v, *a = v + 12, *b = v + 32; /* 4 x 3 = 4 x 5 by 5 x 3 */
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 5; k++)
                c[3 * i + j] += a[5 * i + k] * b[3 * k + j];
}

static void plain_unitary(double *v) {
    double *x = v, *t = v + 10; /* 5 x 2, 10 angles */
    int k = 0;
    for (int j = 0; j < 4; j++)
        for (int i = 3; i >= j; i--, k++)
            for (int c = 0; c < 2; c++) {
                double a = x[2 * i + c], b = x[2 * (i + 1) + c];
                x[2 * i + c] = a * cos(t[k]) - b * sin(t[k]);
                x[2 * (i + 1) + c] = a * sin(t[k]) + b * cos(t[k]);
            }
}

static void plain_logsumexp(double *v) {
    double sum = 0;
    for (int i = 1; i <= 7; i++)
        sum += exp(v[i]);
    v[0] += log(sum);
}

static void plain_softmax_cross_entropy(double *v) {
    double sum = 0;
    for (int i = 1; i <= 7; i++)
        sum += exp(v[i]);
    for (int i = 1; i <= 7; i++)
        v[0] -= v[i + 7] * log(exp(v[i]) / sum);
}

/* A 4 x 5 matrix of 8 entries, by rows and (the same pattern transposed) by columns, and another pattern. */
static const int start[] = {0, 2, 2, 5, 8}, index_of[] = {0, 3, 1, 2, 4, 0, 1, 2};
static const int other_start[] = {0, 1, 3, 6, 8}, other_index[] = {3, 0, 4, 0, 2, 4, 1, 3};

static void plain_csr_matvec(double *v) {
    for (int i = 0; i < 4; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            v[i] += v[4 + k] * v[12 + index_of[k]];
}

static void plain_csc_matvec(double *v) {
    for (int k = 0, j = 0; k < 8; k++) {
        while (k >= start[j + 1])
            j++;
        v[index_of[k]] += v[5 + k] * v[13 + j];
    }
}

static void plain_csc_matvec_complex(double *v) {
    for (int k = 0, j = 0; k < 8; k++) {
        while (k >= start[j + 1])
            j++;
        double *y = v + 2 * index_of[k], *a = v + 10 + 2 * k, *x = v + 26 + 2 * j;
        y[0] += a[0] * x[0] - a[1] * x[1];
        y[1] += a[0] * x[1] + a[1] * x[0];
    }
}

static void plain_sparse_dot(double *v) {
    for (int j = 0; j < 4; j++)
        for (int i = start[j]; i < start[j + 1]; i++)
            for (int k = other_start[j]; k < other_start[j + 1]; k++)
                v[0] += index_of[i] == other_index[k] ? v[1 + i] * v[9 + k] : 0;
}

static void plain_fft(double *v) {
    double re[8], im[8];
    for (int k = 0; k < 8; k++) {
        double complex sum = 0;
        for (int i = 0; i < 8; i++)
            sum += (v[i] + I * v[8 + i]) * cexp(-2 * I * REV_PI * i * k / 8);
        re[k] = creal(sum) / sqrt(8);
        im[k] = cimag(sum) / sqrt(8);
    }
    memcpy(v, re, sizeof re);
    memcpy(v + 8, im, sizeof im);
}

static void plain_box_muller(double *v) {
    double complex z = csqrt(-2 * log(v[2])) * cexp(2 * I * REV_PI * v[3]);
    v[0] += creal(z);
    v[1] += cimag(z);
}

static void plain_coupling(double *v) {
    double *xb = v, *xa = v + 3, *w1 = v + 6, *b1 = v + 18, *w2 = v + 22, *b2 = v + 34; /* half 3, hidden 4 */
    for (int i = 0; i < 3; i++) {
        double sum = b2[i];
        for (int h = 0; h < 4; h++)
            sum += w2[4 * i + h] * tanh(b1[h] + w1[3 * h] * xa[0] + w1[3 * h + 1] * xa[1] + w1[3 * h + 2] * xa[2]);
        xb[i] += sum;
    }
}

static void plain_power(double *v) {
    v[0] += pow(v[1], 9);
}

static void plain_bessel_j(double *v) {
    v[0] += jn(2, v[1]);
}

static void plain_leapfrog(double *v) {
    double *x = v, *u = v + 9, *m = v + 18;
    for (int s = 0; s < 10; s++) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double d[3], cube = 0;
                for (int c = 0; c < 3; c++)
                    cube += pow(d[c] = x[3 * j + c] - x[3 * i + c], 2);
                for (int c = 0; c < 3 && i != j; c++)
                    u[3 * i + c] += 0.01 * m[j] * d[c] / pow(cube, 1.5);
            }
        for (int c = 0; c < 9; c++)
            x[c] += 0.01 * u[c];
    }
}

/* ---- Cases ------------------------------------------------------------------------------------------------------ */

/* Arguments of each function: P(i) is the array from number i on, C(i) the same of complex numbers. */
#define ARGS_sum(P, C) P(0), P(1), 7
#define ARGS_mean(P, C) P(0), P(1), 7
#define ARGS_dot(P, C) P(0), P(1), P(8), 7
#define ARGS_axpy(P, C) P(0), P(7), P(8), 7
#define ARGS_sqdistance(P, C) P(0), P(1), P(8), 7
#define ARGS_norm(P, C) P(0), P(1), 7
#define ARGS_var(P, C) P(0), P(1), P(2), 7
#define ARGS_affine(P, C) P(0), P(4), P(16), P(20), 4, 3
#define ARGS_matmul(P, C) P(0), P(12), P(32), 4, 5, 3
#define ARGS_unitary(P, C) P(0), P(10), 5, 2
#define ARGS_logsumexp(P, C) P(0), P(1), 7
#define ARGS_softmax_cross_entropy(P, C) P(0), P(1), P(8), 7
#define ARGS_csr_matvec(P, C) P(0), P(4), index_of, start, P(12), 4
#define ARGS_csc_matvec(P, C) P(0), P(5), index_of, start, P(13), 4
#define ARGS_csc_matvec_complex(P, C) C(0), C(10), index_of, start, C(26), 4
#define ARGS_sparse_dot(P, C) P(0), P(1), index_of, start, P(9), other_index, other_start, 4
#define ARGS_fft(P, C) P(0), P(8), 3
#define ARGS_box_muller(P, C) P(0), P(2)
#define ARGS_coupling(P, C) P(0), P(3), P(6), P(18), P(22), P(34), P(37), 3, 4
#define ARGS_power(P, C) P(0), P(1), 9
#define ARGS_bessel_j(P, C) P(0), P(1), 2
#define ARGS_leapfrog(P, C) P(0), P(9), P(18), 3, 10, 0.01

/* Name, numbers in all, of which this many at the end are scratch: zero before and after. */
#define CASES(X) \
    X(sum, 8, 0) \
    X(mean, 8, 0) \
    X(dot, 15, 0) \
    X(axpy, 15, 0) \
    X(sqdistance, 15, 0) \
    X(norm, 8, 0) \
    X(var, 9, 0) \
    X(affine, 23, 0) \
    X(matmul, 47, 0) \
    X(unitary, 20, 0) \
    X(logsumexp, 8, 0) \
    X(softmax_cross_entropy, 15, 0) \
    X(csr_matvec, 17, 0) \
    X(csc_matvec, 17, 0) \
    X(csc_matvec_complex, 34, 0) \
    X(sparse_dot, 17, 0) \
    X(fft, 16, 0) \
    X(box_muller, 4, 0) \
    X(coupling, 41, 4) \
    X(power, 2, 0) \
    X(bessel_j, 2, 0) \
    X(leapfrog, 21, 0)

typedef struct test_case {
    const char *name;
    int count, scratch;
    void (*reference)(double *v);
    void (*run)(double *v);
    void (*inverse)(double *v);
    void (*adjoint)(double *v, double *b);
    void (*tangent)(double *v, double *d);
    void (*second)(double *v, double *d, double *b, double *e);
} test_case;

#define V(i) v + (i)
#define VC(i) (double complex *)(void *)(v + (i))

#define RUN(name, count, scratch) \
    static void run_##name(double *v) { \
        rev_##name(ARGS_##name(V, VC)); \
    }
CASES(RUN)

#ifdef LIBRARY_GENERATED
#define VB(i) v + (i), b + (i)
#define VBC(i) VC(i), (double complex *)(void *)(b + (i))
#define VD(i) v + (i), d + (i)
#define VDC(i) VC(i), (double complex *)(void *)(d + (i))
#define VDBE(i) v + (i), d + (i), b + (i), e + (i)
#define VDBEC(i) VDC(i), (double complex *)(void *)(b + (i)), (double complex *)(void *)(e + (i))
#define DERIVATIVES(name, count, scratch) \
    static void inverse_##name(double *v) { \
        rev_##name##_inv(ARGS_##name(V, VC)); \
    } \
    static void adjoint_##name(double *v, double *b) { \
        rev_##name##_adj(ARGS_##name(VB, VBC)); \
    } \
    static void tangent_##name(double *v, double *d) { \
        rev_##name##_jvp(ARGS_##name(VD, VDC)); \
    } \
    static void second_##name(double *v, double *d, double *b, double *e) { \
        rev_##name##_hvp(ARGS_##name(VDBE, VDBEC)); \
    }
CASES(DERIVATIVES)
#define ROW(name, count, scratch) \
    {#name, count, scratch, plain_##name, run_##name, inverse_##name, adjoint_##name, tangent_##name, second_##name},
#else
#define ROW(name, count, scratch) {#name, count, scratch, plain_##name, run_##name, NULL, NULL, NULL, NULL},
#endif
static const test_case cases[] = {CASES(ROW)};

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

/* In (0, 1), where every function is defined and smooth. */
static double deviate(unsigned long long *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static void fill(const test_case *c, double *v, unsigned long long seed) {
    memset(v, 0, MOST * sizeof *v);
    for (int i = 0; i < c->count - c->scratch; i++)
        v[i] = deviate(&seed);
}

static int failures;

static void compare(const test_case *c, const char *what, const double *found, const double *expected, int count,
                    double tolerance) {
    double worst = 0, scale = 1;
    for (int i = 0; i < count; i++) {
        double difference = fabs(found[i] - expected[i]);
        worst = difference > worst || difference != difference ? difference : worst;
        scale = fmax(scale, fabs(expected[i]));
    }
    if (worst <= tolerance * scale)
        return;
    printf("%s: %s is wrong by %g of %g\n", c->name, what, worst, scale);
    failures++;
}

static void check_forward(const test_case *c) {
    double v[MOST], w[MOST];
    fill(c, v, 1);
    memcpy(w, v, sizeof v);
    c->run(v);
    c->reference(w);
    compare(c, "the value", v, w, c->count - c->scratch, 1e-11);
}

static void check_round_trip(const test_case *c) {
    double v[MOST], w[MOST];
    fill(c, v, 2);
    memcpy(w, v, sizeof v);
    c->run(v);
    c->inverse(v);
    compare(c, "the round trip", v, w, c->count, 1e-11);
}

static void check_dot_product(const test_case *c) {
    double v[MOST], d[MOST], d0[MOST], b[MOST], b0[MOST], left = 0, right = 0;
    fill(c, v, 3);
    fill(c, d, 4);
    fill(c, b, 5);
    memcpy(d0, d, sizeof d);
    memcpy(b0, b, sizeof b);
    c->tangent(v, d);
    c->adjoint(v, b);
    for (int i = 0; i < c->count - c->scratch; i++) {
        left += b0[i] * d[i];
        right += b[i] * d0[i];
    }
    compare(c, "the dot product", &left, &right, 1, 1e-10);
}

static void check_tangent(const test_case *c) {
    double v[MOST], above[MOST], below[MOST], d[MOST], h = 1e-6;
    fill(c, v, 6);
    fill(c, d, 7);
    for (int i = 0; i < MOST; i++) {
        above[i] = v[i] + h * d[i];
        below[i] = v[i] - h * d[i];
    }
    c->run(above);
    c->run(below);
    for (int i = 0; i < MOST; i++)
        above[i] = (above[i] - below[i]) / (2 * h);
    c->tangent(v, d);
    compare(c, "the tangent", d, above, c->count - c->scratch, 1e-6);
}

static void adjoint_of(const test_case *c, double *v, double *b) {
    fill(c, b, 9);
    c->run(v);
    c->adjoint(v, b);
}

static void check_second(const test_case *c) {
    double v[MOST], d[MOST], b[MOST], e[MOST] = {0}, above[MOST], below[MOST], b1[MOST], b2[MOST], h = 1e-6;
    fill(c, v, 8);
    fill(c, d, 10);
    for (int i = 0; i < MOST; i++) {
        above[i] = v[i] + h * d[i];
        below[i] = v[i] - h * d[i];
    }
    adjoint_of(c, above, b1);
    adjoint_of(c, below, b2);
    for (int i = 0; i < MOST; i++)
        b1[i] = (b1[i] - b2[i]) / (2 * h);
    fill(c, b, 9);
    c->tangent(v, d);
    c->second(v, d, b, e);
    compare(c, "the second derivative", e, b1, c->count - c->scratch, 1e-5);
}

/* ---- In fixed-point numbers: back to the bit -------------------------------------------------------------------- */

#ifdef LIBRARY_GENERATED
#define ARGS_leapfrog_exact(P, C) P(0), P(9), P(18), 3, 10, rev_fixed(0.01)
#define EXACT(X) \
    X(sum, rev_sum_fixed, ARGS_sum) \
    X(mean, rev_mean_fixed, ARGS_mean) \
    X(dot, rev_dot_fixed, ARGS_dot) \
    X(axpy, rev_axpy_fixed, ARGS_axpy) \
    X(sqdistance, rev_sqdistance_fixed, ARGS_sqdistance) \
    X(norm, rev_norm_fixed, ARGS_norm) \
    X(var, rev_var_fixed, ARGS_var) \
    X(affine, rev_affine_fixed, ARGS_affine) \
    X(matmul, rev_matmul_fixed, ARGS_matmul) \
    X(leapfrog, rev_leapfrog_fixed, ARGS_leapfrog_exact)
#define EXACT_RUN(name, function, arguments) \
    static void exact_##name(fixed *v) { \
        function(arguments(V, VC)); \
    } \
    static void exact_inverse_##name(fixed *v) { \
        function##_inv(arguments(V, VC)); \
    }
EXACT(EXACT_RUN)

static void check_exact(const char *name, void (*run)(fixed *v), void (*inverse)(fixed *v)) {
    const test_case *c = cases;
    while (strcmp(c->name, name) != 0)
        c++;
    double values[MOST], there[MOST];
    fixed v[MOST], first[MOST];
    fill(c, values, 11);
    for (int i = 0; i < MOST; i++)
        first[i] = v[i] = rev_fixed(values[i]);
    run(v);
    c->reference(values);
    for (int i = 0; i < MOST; i++)
        there[i] = rev_fixed_value(v[i]);
    compare(c, "the value in fixed", there, values, c->count, 1e-10);
    inverse(v);
    if (memcmp(v, first, sizeof v) != 0) {
        printf("%s: not back to the bit in fixed\n", name);
        failures++;
    }
}
#endif

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_forward(&cases[i]);
        if (cases[i].inverse) {
            check_round_trip(&cases[i]);
            check_dot_product(&cases[i]);
            check_tangent(&cases[i]);
            check_second(&cases[i]);
        }
    }
#ifdef LIBRARY_GENERATED
#define EXACT_CHECK(name, function, arguments) check_exact(#name, exact_##name, exact_inverse_##name);
    EXACT(EXACT_CHECK)
#endif
    printf("%zu functions, %d failures\n", sizeof cases / sizeof *cases, failures);
    return failures > 0;
}
