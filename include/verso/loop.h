/* Time loops: makes a program for the driver out of callbacks. One step leads from the state x_i to x_{i+1}. The user
 * supplies the step and its adjoint, and says where the state and the adjoint are in memory; verso_run (verso/run.h)
 * decides what to keep, what to recompute and what to write to disk, and continues the run after a crash.
 *
 *     verso_loop loop = {.size = sizeof loop, .context = &model, .steps = 1000, .advance = step,
 *                        .adjoint = step_adjoint, .start = start, .state = {{model.x, sizeof model.x}},
 *                        .adjoint_state = {{model.a, sizeof model.a}}};
 *     verso_program program;
 *     verso_loop_program(&loop, &program, &error);
 *     verso_run(&program, &options, &report, &error);
 *     verso_loop_close(&loop);
 *
 * Errors: a callback (other than `finished`) returns 0 on success. Any other number ends the run with
 * VERSO_STATUS_USER; the message has the callback's name, the number and, if the callback has one, the step. Thread
 * safety: a loop, its program and its callbacks are used by one thread at a time, the one that calls verso_run;
 * different loops may be used by different threads at the same time. */
#ifndef VERSO_LOOP_H
#define VERSO_LOOP_H

#include <stddef.h>
#include <stdint.h>
#include <verso/export.h>
#include <verso/program.h>
#include <verso/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A piece of the user's memory. Verso borrows it. */
typedef struct verso_region {
    void *bytes;
    size_t size;
} verso_region;

enum { VERSO_REGIONS_MAX = 16 };

/* Set the fields that you need. `advance`, `adjoint`, `start`, a state and an adjoint are required. */
typedef struct verso_loop {
    size_t size VERSO_SIZE_OF(verso_loop); /* set by VERSO_LOOP_INIT */
    void *context;                         /* passed to every callback */
    uint64_t steps;                        /* VERSO_UNKNOWN: the callback `finished` recognises the last state */

    /* Makes x_{step+1} of the state x_step. */
    int (*advance)(void *context, uint64_t step);
    /* On entry the state is x_step and the adjoint is that of x_{step+1}: makes it the adjoint of x_step. It may change
     * the state if `cost` is NULL. */
    int (*adjoint)(void *context, uint64_t step);
    /* The state is the last one, x_steps. Sets the adjoint to that of x_steps (the gradient of the final cost), and
     * sets everything else that `adjoint` and `cost` accumulate to zero. */
    int (*start)(void *context, uint64_t steps);
    /* Optional: the cost of the state x_step. Adds its gradient to the adjoint and its value to *value. It is called
     * exactly once for each state, from the last one (after `start`) down to x_0 (after `adjoint`), so the sum has the
     * same bits under every schedule. */
    int (*cost)(void *context, uint64_t step, double *value);
    /* Required if steps is VERSO_UNKNOWN, else NULL. Returns nonzero if x_step is the last state, 0 if not. It is
     * called before every forward step, and once more for the last state when the adjoint starts. */
    int (*finished)(void *context, uint64_t step);

    /* Where the state is: everything that a later step depends on, including earlier time levels. The first region
     * whose `bytes` is NULL ends the list. Callbacks that swap pointers need `save` and `load` instead. */
    verso_region state[VERSO_REGIONS_MAX];
    /* Where the adjoint is, together with everything else that `adjoint` and `cost` accumulate (gradients with respect
     * to parameters or controls). */
    verso_region adjoint_state[VERSO_REGIONS_MAX];

    /* Instead of the regions: callbacks that write the state to, and read it from, a capsule of state_size bytes; the
     * same for the adjoint. Set both callbacks of a pair or none. */
    size_t state_size;
    int (*save)(void *context, void *bytes);
    int (*load)(void *context, const void *bytes);
    size_t adjoint_size;
    int (*save_adjoint)(void *context, void *bytes);
    int (*load_adjoint)(void *context, const void *bytes);

    /* Both optional: a name, and the inputs that are not part of the state (parameters, controls, observations). They
     * identify the computation: verso_run does not continue a durable run that began with another name or other inputs.
     * verso_loop_program reads them. */
    const char *name;
    verso_region inputs[VERSO_REGIONS_MAX];

    /* Result, after the run: the sum of the values that `cost` added. */
    double value;

    struct verso__loop_memory *memory; /* used by Verso; NULL at the start; verso_loop_close frees it */
} verso_loop;
#define VERSO_LOOP_INIT VERSO_INIT_OF(verso_loop)

/* Fills in *program. It points to the loop, which must neither move nor end while the program is used.
 * VERSO_STATUS_INVALID if something is missing or contradictory; the message names it. */
VERSO_API verso_status verso_loop_program(verso_loop *loop, verso_program *program, verso_error *error);
/* Frees the private memory of a loop. Call it after the last verso_run; the loop may be used again. */
VERSO_API void verso_loop_close(verso_loop *loop);

#ifdef __cplusplus
}
#endif
#endif
