/* Small programs as `verso cc` would leave them: each function by hand in its four versions (the program's, recording,
 * reverse, tangent), keeping to native/state.h. So the run time is tested without the transformer.
 *
 * Also says whether this process can differentiate at all. */
#ifndef VERSO_TESTS_NATIVE_PROGRAM_H
#define VERSO_TESTS_NATIVE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False under sanitizers and valgrind, whose memory lies where ours must: then tests of native/ are skipped. */
bool native_possible(void);

/* A loop over x with a call in it, a block from the heap and globals: recorded at 2 n safepoints. */
double chain(const double *x, size_t n);
/* As a run: state[i] is read and written in place; `steps` says how often. */
typedef struct walk_state {
    double *state;
    float *floats; /* one number, read and written at the end */
    size_t size, steps;
} walk_state;
void walk(void *context);
/* Two loops of 4 and 3 iterations in which nothing is recorded, so that many safepoints look the same; 12! x_0^2. */
double quiet(const double *x, size_t n);
enum { QUIET_SAFEPOINTS = 12 };
extern uint64_t quiet_misplaced; /* sweeps that stopped elsewhere than where their stretch began */
/* f(x) = x_0^2 with the derivative 2 x_0, wrong on purpose by so much. */
double wrong(const double *x, size_t n);
extern double wrong_reverse_by, wrong_tangent_by;
/* Depends on how often it was run, which is not in a capsule: cut sweeps differ. */
double forgetful(const double *x, size_t n);
/* f(x) = |x_0|, sin^2 + cos^2 of x_0, exp(1000 x_0) and 4: a kink, almost a constant, not finite nearby, a constant. */
double absolute(const double *x, size_t n);
double pythagoras(const double *x, size_t n);
double steep(const double *x, size_t n);
double constant(const double *x, size_t n);
/* f(x) = sum of 3 x_i: linear. */
double linear(const double *x, size_t n);
/* Has a custom adjoint: f(x) = sum of x_i^3 by a function that nobody differentiates. */
double cubes(const double *x, size_t n);
/* What its record kept and its sweep found. */
extern uint64_t cubes_modes_wrong;
/* Refuses while recording, when x_0 < 0; while reversing, when x_0 < 1; runs out of stack when x_0 > 100, of tape when
 * x_0 > 10 (without a limit it would record 64 MiB), reads address 16 when x_0 == 7, and
 * wants the derivative of memory that has none when x_0 is 8 or 9. Else x_0. */
double troubled(const double *x, size_t n);
/* Not compiled by `verso cc`. */
double foreign(const double *x, size_t n);

/* Globals of these programs: in the table of native/state.h. */
extern double chain_sum, chain_calls;
/* What recording `chain` asked of the outside world: n times. */
extern uint64_t chain_asked;

#endif
