/* What the three tests of verso_check share: one run that can be repeated from the same state, with inputs as each test
 * wants them. */
#ifndef NATIVE_CHECK_H
#define NATIVE_CHECK_H

#include "native/native.h"
#include "native/tests.h"

typedef struct verso_native_check {
    verso_native_job job;
    verso_array *wrt, *of;       /* copies: their derivatives point into the arrays below */
    size_t inputs, outputs;      /* numbers; f's result is the last output */
    long double *x, *y, *moved;  /* inputs, outputs, outputs somewhere else */
    double *direction, *weights; /* u, v */
    double *gradient, *tangent;  /* v J, J u */
    double *other;               /* either of them, once more */
    double *scaled;              /* u or v, scaled */
    uint64_t random;
    verso_native_capsule start;
    verso_native_options sweep;
    verso_check_report *report;
} verso_native_check;

/* Back to where everything began, with the inputs as they were. */
void verso_native_check_restore(verso_native_check *check);
/* After a run: outputs as numbers, f's result last. */
void verso_native_check_outputs(const verso_native_check *check, long double *values);
/* The number that an input has when it is moved: rounded to its type, and stored. */
long double verso_native_check_store(const verso_native_check *check, size_t input, long double value);
/* The distance to the next number of its type, about; from 1, for inputs that are zero. */
long double verso_native_check_input_ulp(const verso_native_check *check, size_t input);
long double verso_native_check_output_ulp(const verso_native_check *check, size_t output);

/* remainder.c: needs gradient, direction, weights and y. */
verso_status verso_native_check_remainder(void *self, double h, bool nearby, double *remainder, double *linear);
double verso_native_check_noise(const verso_native_check *check);

#endif
