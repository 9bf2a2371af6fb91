/* Chains of steps each of which can be undone, x_{i+1} += f_i(x_i), as `verso rev` makes them: two ways to run them
 * backwards in little memory.
 *
 * Bennett's scheme runs such a chain with reversible steps alone: k sectors forward, k - 1 of them undone, and each
 * sector the same way. Treeverse, or any other schedule of verso_run, keeps copies of some states and runs from them
 * again. Both need the same description. Callbacks return 0 when all is well; any other number ends the run. */
#ifndef VERSO_REVERSIBLE_H
#define VERSO_REVERSIBLE_H

#include <stddef.h>
#include <stdint.h>
#include <verso/export.h>
#include <verso/loop.h>
#include <verso/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A state is `size` bytes, and empty when they are all zero; its bar is `bar_size` bytes. */
typedef struct verso_reversible {
    void *context; /* handed to every callback */
    const char *name;
    uint64_t steps;
    size_t size, bar_size;
    /* `next` is empty: make it f_i(state). */
    int (*step)(void *context, uint64_t i, void *next, const void *state);
    /* `next` is f_i(state): make it empty. What round-off leaves in it is forgotten. */
    int (*unstep)(void *context, uint64_t i, void *next, const void *state);
    /* The same, and add to state_bar what next_bar says: the generated f_adj. Only where bars are asked for. */
    int (*adjoint)(void *context, uint64_t i, void *next, void *next_bar, const void *state, void *state_bar);
    /* Only for verso_reversible_run: all that `adjoint` accumulates besides bars (gradients of parameters). */
    verso_region gradient;
} verso_reversible;

/* What a run of Bennett's scheme took. With steps = k^levels: calls are (2k - 1)^levels, and the most states at a time,
 * the first and the last among them, are levels (k - 1) + 2. */
typedef struct verso_bennett_count {
    uint64_t calls; /* of step, unstep and adjoint together */
    uint64_t steps, unsteps, adjoints;
    uint64_t peak; /* states */
} verso_bennett_count;

/* `last` is empty: makes it x_steps, of the state `first`. Any number of steps, in sectors as even as can be; k is at
 * least 2. `count` may be NULL. */
VERSO_API verso_status verso_bennett(const verso_reversible *chain, uint32_t k, const void *first, void *last,
                                     verso_bennett_count *count, verso_error *error);
/* Its inverse: `last` is x_steps and becomes empty. */
VERSO_API verso_status verso_bennett_undo(const verso_reversible *chain, uint32_t k, const void *first, void *last,
                                          verso_bennett_count *count, verso_error *error);
/* The inverse with bars: adds to first_bar what last_bar says; last_bar is cleared. As many calls as without, of which
 * one in each step is `adjoint`. */
VERSO_API verso_status verso_bennett_adjoint(const verso_reversible *chain, uint32_t k, const void *first,
                                             void *first_bar, void *last, void *last_bar, verso_bennett_count *count,
                                             verso_error *error);

/* The same derivative by the driver, under any schedule. `state` is x_0 and is worked with; `start` makes the bar of
 * the last state; `bar`, of bar_size bytes, becomes that of x_0. */
VERSO_API verso_status verso_reversible_run(const verso_reversible *chain, const verso_run_options *options,
                                            void *state, void *bar,
                                            int (*start)(void *context, const void *last, void *last_bar),
                                            verso_run_report *report, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
