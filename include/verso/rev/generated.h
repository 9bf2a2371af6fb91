/* What generated functions need beyond <verso/rev.h>. `verso rev` includes it in front of the first of them, behind the
 * user's own headers. */
#ifndef VERSO_REV_GENERATED_H
#define VERSO_REV_GENERATED_H

#include <verso/rev.h>
#include <verso/rev/callee.h>
#ifdef __CUDACC__
#include <verso/rev/launch.h>
#endif

/* gcc (12.2 at -O3, tests/rev/optimized/restrict.rev.c) joins stores to two `restrict` arrays that it finds side by
 * side in one, keeps what it knew of the first alone, and moves a load across: a wrong number. It finds them only when
 * it inlines or specialises the function that has them as parameters. */
#if !defined(__GNUC__) || defined(__clang__)
#define REV_APART
#elif __GNUC__ >= 8
#define REV_APART __attribute__((noipa))
#else
#define REV_APART __attribute__((noinline, noclone))
#endif

/* What is undone only to be checked is not undone without checks. */
#ifdef VERSO_REV_NOCHECK
#define REV_CHECKING 0
#else
#define REV_CHECKING 1
#endif

/* -DVERSO_REV_OVERLAP: what a function writes must not be reached by another parameter; tested at its start. */
#ifdef VERSO_REV_OVERLAP
#define rev_check_overlap(a, b, check) \
    do { \
        if ((a) && (b)) \
            rev_check_apart(a, sizeof *(a), b, sizeof *(b), check); \
    } while (0)
#else
#define rev_check_overlap(a, b, check) ((void)0)
#endif

/* The bar of a value that was on the stack before anybody looked at bars: zero. */
#define rev_stack_pop_bar(stack, lvalue) \
    do { \
        memset(&(lvalue), 0, sizeof(lvalue)); \
        if (rev_stack_count(stack) > 0) \
            rev_stack_pop(stack, lvalue); \
    } while (0)

#ifndef __cplusplus
/* a conj(b) of finite numbers: C's own product looks for infinities first. */
static inline double _Complex rev_times_conj(double _Complex a, double _Complex b) {
    double x = __extension__ __real__ a, y = __extension__ __imag__ a;
    double u = __extension__ __real__ b, v = __extension__ __imag__ b;
    double _Complex product = 0;
    __extension__ __real__ product = x * u + y * v;
    __extension__ __imag__ product = y * u - x * v;
    return product;
}
#endif

/* The derivatives of log Gamma: rev_polygamma(0, x) is the digamma function. Relative error about 1e-15, but near its
 * zeros. By recurrence to large x, and the asymptotic series there. */
REV_FUNCTION double rev_polygamma(int n, double x) {
    static const double bernoulli[] = {1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
                                       -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};
    double sign = n % 2 ? 1 : -1;  /* (-1)^(n + 1) */
    double factorial = 1, sum = 0; /* of n - 1 */
    for (int k = 2; k < n; k++)
        factorial *= k;
    double next = n == 0 ? 1 : factorial * n; /* n! */
    for (; x < 20 + n; x += 1)
        sum += sign * next / pow(x, n + 1);
    double series = n == 0 ? -log(x) + 1 / (2 * x) : factorial / pow(x, n) + next / (2 * pow(x, n + 1));
    double power = n == 0 ? 1 / (x * x) : 1 / pow(x, n + 2);
    double rising = n == 0 ? 1 : next * (n + 1); /* (2k + n - 1)! / (2k)! times (2k)!: begins with (n + 1)! / 2! */
    double under = 2;
    for (int k = 1; k <= 10; k++) {
        series += bernoulli[k - 1] * power * (n == 0 ? 1.0 / (2 * k) : rising / under);
        power /= x * x;
        rising *= (double)(2 * k + n) * (2 * k + n + 1);
        under *= (double)(2 * k + 1) * (2 * k + 2);
    }
    return sum + sign * series;
}

#endif
