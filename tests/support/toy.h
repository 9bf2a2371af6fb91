/* A small computation with everything that a gradient can get wrong: a nonlinear, chaotic state, a cost at each step, a
 * parameter, and an adjoint that accumulates. Its results are compared bit for bit, so any state that was restored,
 * recomputed or reversed wrongly shows. */
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
    uint64_t end;        /* where `finished` says so, when the loop does not know its steps */
    uint64_t advanced;   /* calls of advance, in this process */
    uint64_t reversed;   /* calls of adjoint, likewise */
    uint64_t fail_at;    /* the callback of this step fails once it is reached; VERSO_UNKNOWN: none */
    uint64_t kill_after; /* SIGKILL to ourselves after so many callbacks; 0: never */
    uint64_t calls;
} toy;

typedef struct toy_result {
    double value;
    double gradient[TOY_SIZE];
    double parameter_gradient;
} toy_result;

/* At x_0. `known`: the loop knows its steps. To be closed. */
void toy_open(toy *model, uint64_t steps, bool known);
void toy_close(toy *model);
toy_result toy_result_of(const toy *model);
/* By a plain loop that stores everything, without the driver. */
toy_result toy_reference(uint64_t steps);
/* Bit for bit. */
bool toy_equal(const toy_result *a, const toy_result *b);

/* A spec of this kind that can reverse so many steps with so many slots, on one or two tiers. */
verso_schedule_spec toy_spec(verso_schedule_kind kind, uint64_t steps, uint64_t slots);

#endif
