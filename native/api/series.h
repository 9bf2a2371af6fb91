/* Measurements of the Taylor test: the function at points along one direction, on both sides of x. The notation
 * is that of tests.h. */
#ifndef NATIVE_SERIES_H
#define NATIVE_SERIES_H

#include "native/api/tests.h"

typedef struct verso__test_series {
    double step[VERSO_CHECK_STEPS];
    double remainder[VERSO_CHECK_STEPS]; /* remainders at x + h u, with signs; NaN: f is not finite there */
    double backward[VERSO_CHECK_STEPS];  /* remainders at x - h u; only with verso__tested.forward_near */
    double rise[VERSO_CHECK_STEPS];      /* (v f(x + h u) - v f(x - h u)) / 2h; only with verso__tested.forward_near */
    double noise;                        /* rounding error of remainders */
    double jitter;                       /* change of v f at inputs next to x */
    double allowed;                      /* permitted error of g u */
    double confirmed;                    /* the smallest quotient of a remainder and its linear term */
    double linear_most;                  /* the largest linear term */
} verso__test_series;

/* Compares the derivative by differences with the one by the gradient (slope.c), and fills in the report. */
verso_status verso__test_slope(const verso__tested *tested, const verso__test_series *series,
                               verso_check_report *report);

#endif
