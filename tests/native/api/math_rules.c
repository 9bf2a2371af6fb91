/* Every mathematical function that has a rule (cc/rules/rules_math.c), as float, double and long double, at several
 * points: the gradient and the tangent against differences of the long double function, which are good to about
 * fourteen digits, and where differences say nothing (kinks, edges of domains, numbers near overflow) against the
 * derivative itself. */
#define _GNU_SOURCE
#include "expect.h"

#include <float.h>
#include <stddef.h>
#include <string.h>
#include <verso/native.h>

typedef double function(const double *x, size_t n);
typedef long double reference(const long double *x);

enum { MOST = 3 };
static int checks;

/* ---- Comparing ---- */

/* `around` is 1 when the tolerance is meant for numbers about 1, 0 when it is relative. */
static void compare(const char *name, function *f, const double *x, size_t n, const double *expected, double tolerance,
                    double around) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double gradient[MOST] = {0}, direction[MOST] = {0}, tangent = 0;
    verso_status status = verso_gradient(f, x, n, gradient, NULL, &report, &error);
    EXPECT(status == VERSO_STATUS_OK, "gradient of %s: %s", name, error.message);
    for (size_t i = 0; i < n; i++) {
        double most = tolerance * (around + fabs(expected[i]));
        bool same = gradient[i] == expected[i] || fabs(gradient[i] - expected[i]) <= most;
        EXPECT(same, "%s(%.17g, %.17g): by argument %zu gradient %.17g instead of %.17g", name, x[0], n > 1 ? x[1] : 0,
               i, gradient[i], expected[i]);
        memset(direction, 0, sizeof direction);
        direction[i] = 1;
        status = verso_directional(f, x, n, direction, &tangent, &report, &error);
        EXPECT(status == VERSO_STATUS_OK, "tangent of %s: %s", name, error.message);
        same = tangent == expected[i] || fabs(tangent - expected[i]) <= most;
        EXPECT(same, "%s(%.17g, %.17g): by argument %zu tangent %.17g instead of %.17g", name, x[0], n > 1 ? x[1] : 0,
               i, tangent, expected[i]);
        checks++;
    }
}

static long double difference(reference *f, const long double *x, size_t n, size_t by, long double h) {
    long double above[MOST] = {0}, below[MOST] = {0};
    memcpy(above, x, n * sizeof *x);
    memcpy(below, x, n * sizeof *x);
    above[by] += h;
    below[by] -= h;
    return (f(above) - f(below)) / (2 * h);
}

/* Central differences, extrapolated twice: the error falls with the sixth power of h. */
static double derivative(reference *f, const double *at, size_t n, size_t by) {
    long double x[MOST] = {0}, h = 0x1p-8L * (1 + fabsl((long double)at[by])) / 4;
    for (size_t i = 0; i < n; i++)
        x[i] = at[i];
    long double wide = difference(f, x, n, by, h), half = difference(f, x, n, by, h / 2),
                quarter = difference(f, x, n, by, h / 4);
    long double first = (4 * half - wide) / 3, second = (4 * quarter - half) / 3;
    return (double)((16 * second - first) / 15);
}

typedef struct versions {
    const char *name;
    function *in_float, *in_double, *in_long;
    reference *exact;
    size_t arguments;
} versions;

static void compare_versions(const versions *v, const double *x) {
    double expected[MOST];
    for (size_t i = 0; i < v->arguments; i++)
        expected[i] = derivative(v->exact, x, v->arguments, i);
    compare(v->name, v->in_double, x, v->arguments, expected, 2e-11, 1);
    compare(v->name, v->in_long, x, v->arguments, expected, 2e-11, 1);
    compare(v->name, v->in_float, x, v->arguments, expected, 2e-6, 1);
}

/* ---- Functions of one number, between two bounds ---- */

#define ONE(X) \
    X(acos, -0.9, 0.9) \
    X(asin, -0.9, 0.9) \
    X(atan, -4, 4) \
    X(cos, -4, 4) \
    X(sin, -4, 4) \
    X(tan, -1.2, 1.2) \
    X(acosh, 1.2, 5) \
    X(asinh, -5, 5) \
    X(atanh, -0.9, 0.9) \
    X(cosh, -4, 4) \
    X(sinh, -4, 4) \
    X(tanh, -4, 4) \
    X(exp, -5, 5) \
    X(exp2, -5, 5) \
    X(expm1, -5, 5) \
    X(exp10, -2, 2) \
    X(log, 0.2, 5) \
    X(log10, 0.2, 5) \
    X(log1p, -0.8, 4) \
    X(log2, 0.2, 5) \
    X(logb, 1.2, 1.8) \
    X(cbrt, 0.5, 5) \
    X(cbrt, -5, -0.5) \
    X(fabs, 0.1, 5) \
    X(fabs, -5, -0.1) \
    X(sqrt, 0.3, 5) \
    X(erf, -3, 3) \
    X(erfc, -3, 3) \
    X(lgamma, 0.3, 6) \
    X(lgamma, -2.8, -2.2) \
    X(tgamma, 0.3, 4) \
    X(tgamma, -1.8, -1.2) \
    X(ceil, 2.1, 2.9) \
    X(floor, -2.9, -2.1) \
    X(nearbyint, 0.6, 1.4) \
    X(rint, 0.6, 1.4) \
    X(round, 0.6, 1.4) \
    X(roundeven, 0.6, 1.4) \
    X(trunc, 3.1, 3.9) \
    X(j0, 0.2, 8) \
    X(j1, -3, 5) \
    X(y0, 0.5, 8) X(y1, 0.5, 8) X(gamma, 0.4, 5) X(significand, 1.1, 1.9) X(nextup, 0.5, 2) X(nextdown, 0.5, 2)

#define DEFINE_ONE(name) \
    static double in_float_##name(const double *x, size_t n) { \
        return n > 0 ? name##f((float)x[0]) : 0; \
    } \
    static double in_double_##name(const double *x, size_t n) { \
        return n > 0 ? name(x[0]) : 0; \
    } \
    static double in_long_##name(const double *x, size_t n) { \
        return n > 0 ? (double)name##l(x[0]) : 0; \
    } \
    static long double exact_##name(const long double *x) { \
        return name##l(x[0]); \
    }
#define DEFINE_ALL(X) \
    X(acos) \
    X(asin) \
    X(atan) \
    X(cos) \
    X(sin) \
    X(tan) \
    X(acosh) \
    X(asinh) \
    X(atanh) \
    X(cosh) \
    X(sinh) \
    X(tanh) \
    X(exp) \
    X(exp2) \
    X(expm1) \
    X(exp10) \
    X(log) \
    X(log10) \
    X(log1p) \
    X(log2) \
    X(logb) \
    X(cbrt) \
    X(fabs) \
    X(sqrt) \
    X(erf) \
    X(erfc) \
    X(lgamma) \
    X(tgamma) \
    X(ceil) \
    X(floor) \
    X(nearbyint) \
    X(rint) X(round) X(roundeven) X(trunc) X(j0) X(j1) X(y0) X(y1) X(gamma) X(significand) X(nextup) X(nextdown)
DEFINE_ALL(DEFINE_ONE)

/* The points are multiples of 1/64, so that a float has them, too. */
static void check_one(const versions *v, double low, double high) {
    enum { POINTS = 7 };
    for (int i = 0; i < POINTS; i++) {
        double x = floor((low + (high - low) * i / (POINTS - 1)) * 64 + 0.5) / 64;
        compare_versions(v, &x);
    }
}

static void check_functions_of_one(void){
#define CHECK_ONE(name, low, high) \
    check_one(&(versions){#name, in_float_##name, in_double_##name, in_long_##name, exact_##name, 1}, low, high);
    ONE(CHECK_ONE)}

/* ---- Functions of two numbers ---- */

#define TWO(X) \
    X(atan2) \
    X(hypot) \
    X(pow) \
    X(fmod) \
    X(remainder) \
    X(drem) \
    X(copysign) \
    X(nextafter) \
    X(fdim) \
    X(fmax) \
    X(fmin) \
    X(fmaximum) \
    X(fminimum) \
    X(fmaximum_num) \
    X(fminimum_num) X(fmaximum_mag) X(fminimum_mag) X(fmaximum_mag_num) X(fminimum_mag_num) X(fmaxmag) X(fminmag)

#define DEFINE_TWO(name) \
    static double in_float_##name(const double *x, size_t n) { \
        return n > 1 ? name##f((float)x[0], (float)x[1]) : 0; \
    } \
    static double in_double_##name(const double *x, size_t n) { \
        return n > 1 ? name(x[0], x[1]) : 0; \
    } \
    static double in_long_##name(const double *x, size_t n) { \
        return n > 1 ? (double)name##l(x[0], x[1]) : 0; \
    } \
    static long double exact_##name(const long double *x) { \
        return name##l(x[0], x[1]); \
    }
TWO(DEFINE_TWO)

    static void check_functions_of_two(void) {
    static const double points[][2] = {{0.75, 1.625}, {2.5, 0.40625}, {3.25, 2.125}, {1.25, -2.25}, {4.5, 3.25}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
#define CHECK_TWO(name) \
    compare_versions(&(versions){#name, in_float_##name, in_double_##name, in_long_##name, exact_##name, 2}, points[i]);
        TWO(CHECK_TWO)
    }
}

/* ---- Three numbers, integers, vectors ---- */

#define DEFINE_OTHERS(name, IN_FLOAT, IN_DOUBLE, IN_LONG) \
    static double in_float_##name(const double *x, size_t n) { \
        float a = (float)x[0], b = (float)x[1], c = (float)x[2]; \
        return n > 2 ? IN_FLOAT : 0; \
    } \
    static double in_double_##name(const double *x, size_t n) { \
        double a = x[0], b = x[1], c = x[2]; \
        return n > 2 ? IN_DOUBLE : 0; \
    } \
    static double in_long_##name(const double *x, size_t n) { \
        long double a = x[0], b = x[1], c = x[2]; \
        return n > 2 ? (double)(IN_LONG) : 0; \
    } \
    static long double exact_##name(const long double *x) { \
        long double a = x[0], b = x[1], c = x[2]; \
        return IN_LONG; \
    }
DEFINE_OTHERS(fma, fmaf(a, b, c), fma(a, b, c), fmal(a, b, c))
DEFINE_OTHERS(ldexp, ldexpf(a, 3) * b + c, ldexp(a, 3) * b + c, ldexpl(a, 3) * b + c)
DEFINE_OTHERS(scalbn, scalbnf(a, -2) * b + c, scalbn(a, -2) * b + c, scalbnl(a, -2) * b + c)
DEFINE_OTHERS(scalbln, scalblnf(a, 5) * b + c, scalbln(a, 5) * b + c, scalblnl(a, 5) * b + c)
DEFINE_OTHERS(scalb, scalbf(a, 2) * b + c, scalb(a, 2) * b + c, scalbl(a, 2) * b + c)
DEFINE_OTHERS(jn, jnf(3, a) * b + c, jn(3, a) * b + c, jnl(3, a) * b + c)
DEFINE_OTHERS(yn, ynf(2, a) * b + c, yn(2, a) * b + c, ynl(2, a) * b + c)
DEFINE_OTHERS(powi, __builtin_powif(a, -3) * b + c, __builtin_powi(a, -3) * b + c, __builtin_powil(a, -3) * b + c)
DEFINE_OTHERS(arithmetic, (a + b) * c / (a - b * c) + -a, (a + b) * c / (a - b * c) + -a,
              (a + b) * c / (a - b * c) + -a)
DEFINE_OTHERS(nexttoward, nexttowardf(a, 9) * b + c, nexttoward(a, 9) * b + c, nexttowardl(a, 9) * b + c)
DEFINE_OTHERS(mixed, (float)((double)a *b) + (float)c, (double)((float)a *(long double)b) + c,
              (long double)(double)(a *b) + c)

typedef double four __attribute__((vector_size(32)));
typedef float four_floats __attribute__((vector_size(16)));

/* Each lane another combination of the three numbers. */
static double in_double_vector(const double *x, size_t n) {
    four a = {x[0], x[1], x[2], x[0] * x[1]}, b = {x[1], x[2], x[0], 0.5}, c = a * b + a / b - b;
    c = __builtin_elementwise_sqrt(__builtin_elementwise_abs(c) + 1) + __builtin_elementwise_max(a, b) * 2 -
        __builtin_elementwise_min(a, c) + __builtin_elementwise_fma(a, b, c) + __builtin_elementwise_exp(-a);
    c = c + __builtin_elementwise_sin(a) * __builtin_elementwise_cos(b) + __builtin_elementwise_log(a + 3) +
        __builtin_elementwise_pow(a + 3, b) + __builtin_elementwise_floor(c) + __builtin_elementwise_copysign(a, -b);
    return n > 2 ? c[0] + 2 * c[1] + 3 * c[2] + 4 * c[3] : 0;
}

static double in_float_vector(const double *x, size_t n) {
    four_floats a = {(float)x[0], (float)x[1], (float)x[2], (float)x[0] * (float)x[1]},
                b = {(float)x[1], (float)x[2], (float)x[0], 0.5f}, c = a * b + a / b - b;
    c = __builtin_elementwise_sqrt(__builtin_elementwise_abs(c) + 1) + __builtin_elementwise_max(a, b) * 2 -
        __builtin_elementwise_min(a, c) + __builtin_elementwise_fma(a, b, c) + __builtin_elementwise_exp(-a);
    c = c + __builtin_elementwise_sin(a) * __builtin_elementwise_cos(b) + __builtin_elementwise_log(a + 3) +
        __builtin_elementwise_pow(a + 3, b) + __builtin_elementwise_floor(c) + __builtin_elementwise_copysign(a, -b);
    return n > 2 ? c[0] + 2 * c[1] + 3 * c[2] + 4 * c[3] : 0;
}

static long double exact_lane(long double a, long double b) {
    long double c = a * b + a / b - b;
    c = sqrtl(fabsl(c) + 1) + fmaxl(a, b) * 2 - fminl(a, c) + fmal(a, b, c) + expl(-a);
    return c + sinl(a) * cosl(b) + logl(a + 3) + powl(a + 3, b) + floorl(c) + copysignl(a, -b);
}

static long double exact_vector(const long double *x) {
    return exact_lane(x[0], x[1]) + 2 * exact_lane(x[1], x[2]) + 3 * exact_lane(x[2], x[0]) +
           4 * exact_lane(x[0] * x[1], 0.5L);
}

static double in_long_vector(const double *x, size_t n) {
    long double y[MOST] = {x[0], x[1], x[2]};
    return n > 2 ? (double)exact_vector(y) : 0;
}

static void check_others(void) {
    static const double points[][3] = {{0.75, 1.5, 0.4375}, {2.5, -0.375, 1.25}, {1.25, 2.5, -0.5625}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
#define CHECK_OTHER(name) \
    compare_versions(&(versions){#name, in_float_##name, in_double_##name, in_long_##name, exact_##name, 3}, points[i]);
        CHECK_OTHER(fma)
        CHECK_OTHER(ldexp)
        CHECK_OTHER(scalbn)
        CHECK_OTHER(scalbln)
        CHECK_OTHER(scalb)
        CHECK_OTHER(jn)
        CHECK_OTHER(yn)
        CHECK_OTHER(powi)
        CHECK_OTHER(arithmetic)
        CHECK_OTHER(nexttoward)
        CHECK_OTHER(mixed)
        CHECK_OTHER(vector)
    }
}

/* ---- Where differences say nothing ---- */

/* What is computed and then not used has no part in the derivative, even where its own is infinite. */
static double kept;

static double unused_pole(const double *x, size_t n) {
    double a = 1 / x[0], b = sqrt(x[0]), c = log(x[0]), d = pow(x[0], 0.5), e = acos(1 + x[0]), f = cbrt(x[0]);
    kept = a + b + c + d + e + f;
    return n > 0 && x[0] != 0 ? kept : 3 * x[0];
}

static double power_of_negative(const double *x, size_t n) {
    return n > 1 ? pow(x[0], x[1]) : 0;
}

static double cube_by_pow(const double *x, size_t n) {
    volatile double exponent = 3;
    return n > 0 ? pow(x[0], exponent) : 0;
}

static double zeroth_powi(const double *x, size_t n) {
    return n > 0 ? __builtin_powi(x[0], (int)n - 1) : 0;
}

static double quotient_of_huge(const double *x, size_t n) {
    return n > 1 ? atan2(x[0], x[1]) : 0;
}

typedef struct edge {
    const char *name;
    function *f;
    size_t arguments;
    double x[2], expected[2];
} edge;

static const edge edges[] = {
    {"unused pole", unused_pole, 1, {0}, {3}},
    {"sqrt", in_double_sqrt, 1, {0}, {INFINITY}},
    {"cbrt", in_double_cbrt, 1, {0}, {INFINITY}},
    {"log", in_double_log, 1, {0}, {INFINITY}},
    {"asin", in_double_asin, 1, {1}, {INFINITY}},
    {"acos", in_double_acos, 1, {-1}, {-INFINITY}},
    {"fabs", in_double_fabs, 1, {0}, {1}},
    {"fabs", in_double_fabs, 1, {-0.0}, {1}},
    {"hypot", in_double_hypot, 2, {0, 0}, {0, 0}},
    {"hypot", in_double_hypot, 2, {3e200, 4e200}, {0.6, 0.8}},
    {"hypot", in_double_hypot, 2, {3e-200, 4e-200}, {0.6, 0.8}},
    {"atan2", in_double_atan2, 2, {0, 0}, {0, 0}},
    {"atan2", quotient_of_huge, 2, {1e200, 1e200}, {0.5e-200, -0.5e-200}},
    {"atan2", quotient_of_huge, 2, {1e-200, 1e-200}, {0.5e200, -0.5e200}},
    {"atan2", quotient_of_huge, 2, {0, -2}, {-0.5, 0}},
    {"fmax", in_double_fmax, 2, {1, 1}, {1, 0}},
    {"fmin", in_double_fmin, 2, {1, 1}, {1, 0}},
    {"fmax", in_double_fmax, 2, {NAN, 1}, {0, 1}},
    {"fmax", in_double_fmax, 2, {1, NAN}, {1, 0}},
    {"fmin", in_double_fmin, 2, {NAN, 1}, {0, 1}},
    {"fmin", in_double_fmin, 2, {1, NAN}, {1, 0}},
    {"pow", power_of_negative, 2, {0, 2}, {0, 0}},
    {"pow", power_of_negative, 2, {0, 1}, {1, 0}},
    {"pow", power_of_negative, 2, {0, 0}, {0, 0}},
    {"pow", power_of_negative, 2, {0, 0.5}, {INFINITY, 0}},
    {"pow", power_of_negative, 2, {-2, 3}, {12, 0}},
    {"pow", power_of_negative, 2, {-2, -1}, {-0.25, 0}},
    {"pow", power_of_negative, 2, {1e-200, 2}, {2e-200, 0}},
    {"pow", power_of_negative, 2, {1e200, 2}, {2e200, INFINITY}},
    {"pow, exponent constant", cube_by_pow, 1, {0}, {0}},
    {"pow, exponent constant", cube_by_pow, 1, {-3}, {27}},
    {"powi", zeroth_powi, 1, {0}, {0}},
    {"fdim", in_double_fdim, 2, {1, 2}, {0, 0}},
    {"fdim", in_double_fdim, 2, {2, 2}, {0, 0}},
    {"fmod", in_double_fmod, 2, {7.5, -2}, {1, 3}},
    {"fmod", in_double_fmod, 2, {1e17, 3}, {1, -33333333333333333.0}},
    {"remainder", in_double_remainder, 2, {7.5, 2}, {1, -4}},
    {"asinh", in_double_asinh, 1, {1e200}, {1e-200}},
    {"acosh", in_double_acosh, 1, {1e200}, {1e-200}},
    {"expm1", in_double_expm1, 1, {-60}, {8.75651076269652e-27}},
    {"j1", in_double_j1, 1, {0}, {0.5}},
    {"significand", in_double_significand, 1, {0}, {1}},
    {"copysign", in_double_copysign, 2, {-3, 2}, {-1, 0}},
    {"copysign", in_double_copysign, 2, {-3, -2}, {1, 0}},
};

int main(void) {
    check_functions_of_one();
    check_functions_of_two();
    check_others();
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        compare(edges[i].name, edges[i].f, edges[i].x, edges[i].arguments, edges[i].expected, 1e-15, 0);
    printf(failed ? "\n" : " %d derivatives\n", checks);
    return failed;
}
