/* A small loop that reveals errors in gradients: it has a nonlinear, chaotic state, a cost at each step, a parameter,
 * and an adjoint that accumulates. Results are compared bit for bit, so that any state that is restored, recomputed
 * or reversed wrongly is detected. */
#ifndef VERSO_TESTS_TOY_H
#define VERSO_TESTS_TOY_H

#include <stdbool.h>
#include <stdint.h>
#include <verso/verso.h>

enum { TOY_SIZE = 5 };

typedef struct toy {
    verso_loop loop;
    verso_program program;
    double state[TOY_SIZE];
    double adjoint[TOY_SIZE];
    double parameter, parameter_gradient;
    uint64_t end;        /* number of steps, which `finished` reports if the loop does not know it */
    uint64_t advanced;   /* number of calls of advance in this process */
    uint64_t reversed;   /* number of calls of adjoint in this process */
    uint64_t fail_at;    /* step whose callback fails; VERSO_UNKNOWN: none */
    uint64_t kill_after; /* the process kills itself (SIGKILL) after this many callbacks; 0: never */
    uint64_t calls;      /* number of callbacks so far */
} toy;

typedef struct toy_result {
    double value;
    double gradient[TOY_SIZE];
    double parameter_gradient;
} toy_result;

/* Begins at x_0. `known`: the loop knows its number of steps. The caller closes it. */
void toy_open(toy *model, uint64_t steps, bool known);
void toy_close(toy *model);
/* Returns value and gradient after a run. */
toy_result toy_result_of(const toy *model);
/* Computes the result without the driver, in a plain loop that stores all states. */
toy_result toy_reference(uint64_t steps);
/* Returns true if both have the same bits. */
bool toy_equal(const toy_result *a, const toy_result *b);

/* Returns a spec of this kind that can reverse `steps` steps with `slots` slots, on one or two tiers. */
verso_schedule_spec toy_spec(verso_schedule_kind kind, uint64_t steps, uint64_t slots);

#endif
