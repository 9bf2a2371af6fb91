/* Small programs in the form that `verso cc` generates: each function is written by hand in its four versions (primal,
 * recording, reverse, tangent), which follow native/state.h. With them the run time is tested without the transformer.
 *
 * Also determines whether this process can differentiate at all. */
#ifndef VERSO_TESTS_NATIVE_PROGRAM_H
#define VERSO_TESTS_NATIVE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false under sanitizers and valgrind, which occupy the addresses that Verso needs. Tests of native/ are then
 * skipped. */
bool native_possible(void);

/* A loop over x with a call, a heap block and globals; recorded with 2 n safepoints. */
double chain(const double *x, size_t n);
/* A run for verso_vjp: overwrites `state` in place in each of `steps` steps. */
typedef struct walk_state {
    double *state;      /* the state, of `size` numbers */
    float *floats;      /* one number, read and written at the end */
    size_t size, steps; /* size of the state, number of steps */
} walk_state;
void walk(void *context);
/* f(x) = 12! x_0^2. Two loops of 4 and 3 iterations that record nothing, so that many safepoints have the same tape
 * position. */
double quiet(const double *x, size_t n);
enum { QUIET_SAFEPOINTS = 12 };
extern uint64_t quiet_misplaced; /* number of sweeps that stopped at another safepoint than their stretch began at */
/* f(x) = x_0^2, whose derivative 2 x_0 is wrong by these amounts in reverse and in tangent mode. */
double wrong(const double *x, size_t n);
extern double wrong_reverse_by, wrong_tangent_by;
/* Depends on how often it was run, which capsules do not contain, so that cut sweeps differ. */
double forgetful(const double *x, size_t n);
double absolute(const double *x, size_t n);   /* |x_0|: has a kink */
double pythagoras(const double *x, size_t n); /* sin^2 + cos^2 of x_0: almost constant */
double steep(const double *x, size_t n);      /* exp(1000 x_0): not finite at nearby points */
double constant(const double *x, size_t n);   /* 4 */
double linear(const double *x, size_t n);     /* sum of 3 x_i */
/* f(x) = sum of x_i^3 by a foreign function with a custom adjoint. */
double cubes(const double *x, size_t n);
/* Number of errors found by its callbacks: a wrong mode, wrong kept bytes, or argument adjoints that are not 0. */
extern uint64_t cubes_modes_wrong;
/* f(x) = x_0, but fails for some x_0: refuses while recording if x_0 < 0, while reversing if x_0 < 1; runs out of
 * stack if x_0 > 100, out of tape if x_0 > 10 (without a limit it would record 64 MiB); reads address 16 if x_0 == 7;
 * and asks for the derivative of memory that has none if x_0 is 8 or 9. */
double troubled(const double *x, size_t n);
/* A foreign function. */
double foreign(const double *x, size_t n);

/* Globals of these programs, registered in the table of native/state.h. */
extern double chain_sum, chain_calls;
/* Number of calls of the outside world while `chain` was recorded: n. */
extern uint64_t chain_asked;

#endif
