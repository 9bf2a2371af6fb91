/* What the tests of verso_check share: a run that can be repeated from the same state, with the inputs that
 * each test chooses. */
#ifndef NATIVE_CHECK_H
#define NATIVE_CHECK_H

#include "native/api/api.h"
#include "native/api/tests.h"

typedef struct verso__native_check {
    verso__native_job job;
    verso_array *wrt, *of;      /* copies of the caller's arrays, whose derivatives point into the arrays below */
    size_t inputs, outputs;     /* counts of numbers; f's result is the last output */
    long double *x, *y, *moved; /* inputs, outputs at x, outputs of another run */
    long double *recorded;      /* outputs of the first recording run */
    long double *again;         /* of each output, the value of a plain run that differs most from y (races.c) */
    bool has_recorded;
    double *direction, *weights; /* the directions u and v */
    double *gradient, *tangent;  /* v J and J u */
    double *other;               /* room for another v J or J u */
    double *scaled;              /* room for a scaled u or v */
    uint64_t random;
    verso__native_capsule start;
    verso_native_options sweep;
    verso_check_report *report;
    verso_error *error; /* receives why a run failed; not NULL */
} verso__native_check;

/* Puts the program back to its beginning, with the original inputs. */
void verso__native_check_restore(verso__native_check *check);
/* Computes result = J (u / divisor) at the current inputs. */
verso_status verso__native_check_tangent(verso__native_check *check, double divisor, double *result);
/* Reads the outputs after a run, f's result last. */
void verso__native_check_outputs(const verso__native_check *check, long double *values);
/* Stores a value in an input, rounded to its type, and returns the rounded value. */
long double verso__native_check_store(const verso__native_check *check, size_t input, long double value);
/* Return the approximate distance from an input (from 1 if it is zero) or from an output to the next number of
 * its type. */
long double verso__native_check_input_ulp(const verso__native_check *check, size_t input);
long double verso__native_check_output_ulp(const verso__native_check *check, size_t output);

/* Runs the program with moved inputs (remainder.c): see verso__tested. Requires gradient, direction, weights and
 * y. */
verso_status verso__native_check_move(void *self, double h, bool nearby, verso__test_move *moved);
/* Computes v (J u) in tangent mode at inputs about h away. */
verso_status verso__native_check_near(void *self, double h, double *derivative);
/* Races of programs with OpenMP (races.c): the first function runs the program again, plainly, several times, and fills
 * check->again. The second one returns how much v f may differ between these runs, by rounding; it requires the
 * gradient. */
verso_status verso__native_check_repeat(verso__native_check *check);
double verso__native_check_repeat_bound(const verso__native_check *check);
/* Returns the rounding error that v f(x) has at least. */
double verso__native_check_noise(const verso__native_check *check);

#endif
