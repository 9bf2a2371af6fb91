/* The dot-product and Taylor tests as arithmetic, for anything that can be run: C programs (check.c) and
 * functions of VLAD (vlad/check.h). The criteria are those of verso_check_report, which the tests fill in. f is
 * the function, x the inputs, J its derivative, u a direction of the inputs, v weights of the outputs, g = v J. */
#ifndef NATIVE_TESTS_H
#define NATIVE_TESTS_H

#include <verso/native.h>

/* The result of a run with moved inputs. */
typedef struct verso__test_move {
    double change;    /* v (f(moved x) - f(x)) */
    double linear;    /* g (moved x - x) */
    double remainder; /* their difference, before rounding; NaN if f is not finite there */
} verso__test_move;

/* A function at a point x. */
typedef struct verso__tested {
    void *self;
    size_t inputs, outputs;
    const double *direction, *weights; /* the directions u and v */
    /* v J and J u; the dot-product test fills them in, the Taylor test requires `gradient` */
    double *gradient, *tangent;
    double *other; /* room for another v J or J u */
    double noise;  /* minimum rounding error of v f(x): no output is known better than to its last place */
    /* Compute (v / divisor) J, and J (u / divisor). */
    verso_status (*reverse)(void *self, double divisor, double *result);
    verso_status (*forward)(void *self, double divisor, double *result);
    /* Computes v (J u) at inputs about h away from x. NULL: the Taylor test runs at x + h u only, and uses
     * remainders only. */
    verso_status (*forward_near)(void *self, double h, double *derivative);
    bool single;             /* f computes in floats, at least in parts */
    void (*aim)(void *self); /* called when `gradient` is known; may change signs of `direction`; may be NULL */
    /* Runs f at x + h u or, if `nearby`, at inputs about h away from x in random directions. */
    verso_status (*move)(void *self, double h, bool nearby, verso__test_move *moved);
    /* Replaces numbers by their sums over the processes of the program; may be NULL. */
    void (*join)(double *numbers, int count);
} verso__tested;

/* Returns a random number, 0 <= result < 1. *state may have any initial value. */
double verso__test_random(uint64_t *state);
/* Returns a random number with absolute value in [1/2, 1], for v. */
double verso__test_number(uint64_t *state);
/* Returns such a number times the absolute value of x, or times 1 if x is 0, for u. */
double verso__test_distance(uint64_t *state, double x);

/* The dot-product test (tests.c) and the Taylor test (taylor.c), in this order. They return the status of a run
 * that failed. */
verso_status verso__test_dot(const verso__tested *tested, verso_check_report *report);
verso_status verso__test_taylor(const verso__tested *tested, verso_check_report *report);

#endif
