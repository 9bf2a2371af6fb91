/* The dot-product and Taylor tests as arithmetic: what is tested says how it is run. C programs are (check.c), and
 * functions of VLAD (vlad/check.h). The criteria are those of verso_check_report, which is filled in. */
#ifndef NATIVE_TESTS_H
#define NATIVE_TESTS_H

#include <verso/native.h>

/* A function at a point x. */
typedef struct verso_tested {
    void *self;
    size_t inputs, outputs;
    const double *direction, *weights; /* u, v */
    double *gradient, *tangent; /* v J, J u: the dot-product test fills them in, the Taylor test needs gradient */
    double *other;              /* room for either of them, once more */
    double noise;               /* that v f(x) has at least: no output is known better than to its last place */
    /* v J with v / divisor in place of v, and J u with u / divisor. */
    verso_status (*reverse)(void *self, double divisor, double *result);
    verso_status (*forward)(void *self, double divisor, double *result);
    /* One run at x + h u, or at inputs about that far away, to either side (nearby): v (f - f(x)) - g (what x was moved
     * by), NaN where f is not finite; and the size of the second term. */
    verso_status (*remainder)(void *self, double h, bool nearby, double *remainder, double *linear);
} verso_tested;

/* 0 <= result < 1; the state is any number. */
double verso_test_random(uint64_t *state);
/* In [1/2, 1], with a sign: for u (times the size of the input, or 1 where that is 0) and v. */
double verso_test_number(uint64_t *state);
double verso_test_distance(uint64_t *state, double x);

/* tests.c, taylor.c, in this order. A status is that of a run. */
verso_status verso_test_dot(const verso_tested *tested, verso_check_report *report);
verso_status verso_test_taylor(const verso_tested *tested, verso_check_report *report);

#endif
