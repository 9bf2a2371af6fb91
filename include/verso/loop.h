/* Time loops: a program made of a user's callbacks. One step leads from x_i to x_{i+1}; the user supplies the step and
 * its adjoint, and says where the state and the adjoint lie in memory. Everything else (what to keep, what to
 * recompute, what to put on disk, how to survive) is the driver's affair: hand the program to verso_run.
 *
 *     verso_loop loop = {.context = &model, .steps = 1000, .advance = step, .adjoint = step_adjoint, .start = start,
 *                        .state = {{model.x, sizeof model.x}}, .adjoint_state = {{model.a, sizeof model.a}}};
 *     verso_program program;
 *     verso_loop_program(&loop, &program, &error);
 *     verso_run(&program, &options, &report, &error);
 *
 * Callbacks return 0 when all is well. Any other number ends the run; it is in the message. */
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

typedef struct verso_region {
    void *bytes;
    size_t size;
} verso_region;

enum { VERSO_REGIONS_MAX = 16 };

typedef struct verso_loop {
    void *context;  /* handed to every callback */
    uint64_t steps; /* VERSO_UNKNOWN: `finished` will tell */

    /* From x_step to x_{step+1}. */
    int (*advance)(void *context, uint64_t step);
    /* The state is x_step and the adjoint that of x_{step+1}: make the adjoint that of x_step. The state
     * may be changed when there is no `cost`. */
    int (*adjoint)(void *context, uint64_t step);
    /* The state is the last one, x_steps: make the adjoint that of x_steps (the gradient of the final cost), and clear
     * whatever else is accumulated. */
    int (*start)(void *context, uint64_t steps);
    /* Optional: the cost of x_step. Adds its gradient to the adjoint and its value to *value. Called for each step from
     * the last state (after `start`) down to x_0 (after `adjoint`), exactly once, so the sum has the same bits under
     * every schedule. The state is x_step. */
    int (*cost)(void *context, uint64_t step, double *value);
    /* Only when steps is VERSO_UNKNOWN: is x_step the last state? Not 0: yes. Asked before every step. */
    int (*finished)(void *context, uint64_t step);

    /* Where the state lies: all that a later step depends on, of as many time levels as there are. A region without
     * bytes ends the list. Callbacks that swap pointers need save and load instead. */
    verso_region state[VERSO_REGIONS_MAX];
    /* Where the adjoint lies, with everything that `adjoint` and `cost` accumulate (gradients with respect to
     * parameters or controls). */
    verso_region adjoint_state[VERSO_REGIONS_MAX];

    /* Instead of regions: callbacks that write to and read from a capsule of a fixed size. */
    size_t state_size;
    int (*save)(void *context, void *bytes);
    int (*load)(void *context, const void *bytes);
    size_t adjoint_size;
    int (*save_adjoint)(void *context, void *bytes);
    int (*load_adjoint)(void *context, const void *bytes);

    /* What tells this computation from others: a name, and inputs that are not part of the state (parameters, controls,
     * observations). A run that began with others is not continued. Both optional. */
    const char *name;
    verso_region inputs[VERSO_REGIONS_MAX];

    /* Result: the sum of what `cost` added, once the run is done. */
    double value;

    /* Private: scratch of a recorded stretch. Zero at the start; verso_loop_close frees it. */
    unsigned char *scratch;
    size_t scratch_size;
} verso_loop;

/* Makes a program of it. The loop is borrowed and must stay where it is as long as the program is used. VERSO_INVALID
 * names what is missing. */
VERSO_API verso_status verso_loop_program(verso_loop *loop, verso_program *program, verso_error *error);
VERSO_API void verso_loop_close(verso_loop *loop);

#ifdef __cplusplus
}
#endif
#endif
