/* Derivatives of chains of reversible steps, x_{i+1} += f_i(x_i), such as `verso rev` generates, in little memory.
 * There are two ways; both take the same description of the chain, a verso_reversible:
 *
 *  - verso_bennett and its inverses: Bennett's scheme, which uses reversible steps alone. It divides the chain into k
 *    sectors, runs all of them forward and undoes the first k - 1 again; each sector is run in the same way.
 *  - verso_reversible_run: the driver (verso/run.h) with treeverse or any other schedule, which keeps copies of some
 *    states and runs forward from them again.
 *
 * The bar of a state is its adjoint: the derivatives of the result with respect to it.
 *
 * Errors: verso/status.h. Callbacks return 0 on success; any other number ends the run with VERSO_STATUS_USER, and the
 * message names the callback, the number and the step. VERSO_STATUS_INVALID: a callback or a size that is needed is
 * missing. Thread safety: the functions keep no state of their own; different chains may be run by different threads at
 * the same time. Callbacks are called by the thread that called the function. */
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

/* A chain of steps. A state has `state_size` bytes and is called empty if all of them are zero; its bar has `bar_size`
 * bytes. Set the fields that you need. */
typedef struct verso_reversible {
    size_t size VERSO_SIZE_OF(verso_reversible); /* set by VERSO_REVERSIBLE_INIT */
    void *context;                               /* passed to every callback */
    const char *name; /* only for verso_reversible_run: identifies a durable run, as in verso_loop; may be NULL */
    uint64_t steps;   /* at least 1 for Bennett's scheme */
    size_t state_size, bar_size;
    /* On entry `next` is empty: sets it to f_i(state). */
    int (*step)(void *context, uint64_t i, void *next, const void *state);
    /* On entry `next` is f_i(state): makes it empty. Afterwards Verso sets all its bytes to zero, so `unstep` may leave
     * round-off. verso_reversible_run does not need it. */
    int (*unstep)(void *context, uint64_t i, void *next, const void *state);
    /* Like `unstep`; also adds to state_bar the derivatives that follow from next_bar. This is the generated f_adj.
     * Only verso_bennett_adjoint and verso_reversible_run need it. */
    int (*adjoint)(void *context, uint64_t i, void *next, void *next_bar, const void *state, void *state_bar);
    /* Only for verso_reversible_run: everything that `adjoint` accumulates besides bars (gradients with respect to
     * parameters). The run sets it to zero first. `bytes` may be NULL. */
    verso_region gradient;
} verso_reversible;
#define VERSO_REVERSIBLE_INIT VERSO_INIT_OF(verso_reversible)

/* What a run of Bennett's scheme took. For k^levels steps it makes (2k - 1)^levels calls and holds at most
 * levels (k - 1) + 2 states at a time, including the first and the last. */
typedef struct verso_bennett_count {
    uint64_t calls; /* of step, unstep and adjoint together */
    uint64_t steps, unsteps, adjoints;
    uint64_t peak; /* maximum number of states held at a time */
} verso_bennett_count;

/* Computes x_steps of the state `first` into `last`, which must be empty. The number of steps need not be a power of k:
 * sectors are made as equal as possible. VERSO_STATUS_INVALID if k is less than 2. `count` may be NULL; it is filled in
 * on failure, too. After a failure the contents of `last` are unspecified. */
VERSO_API verso_status verso_bennett(const verso_reversible *chain, uint32_t k, const void *first, void *last,
                                     verso_bennett_count *count, verso_error *error);
/* The inverse of verso_bennett: `last` is x_steps on entry and empty on return. */
VERSO_API verso_status verso_bennett_undo(const verso_reversible *chain, uint32_t k, const void *first, void *last,
                                          verso_bennett_count *count, verso_error *error);
/* The inverse with bars: also adds to first_bar the derivatives that follow from last_bar, and sets last_bar to zero.
 * It makes as many calls as verso_bennett_undo; for each step exactly one of them is to `adjoint`. */
VERSO_API verso_status verso_bennett_adjoint(const verso_reversible *chain, uint32_t k, const void *first,
                                             void *first_bar, void *last, void *last_bar, verso_bennett_count *count,
                                             verso_error *error);

/* Computes the same derivative with the driver, under the schedule of `options`; `report` is that of verso_run. On
 * entry `state` is x_0; the run overwrites it. `start` sets last_bar, which is zero on entry, to the bar of the last
 * state. `bar` has room for bar_size bytes and receives the bar of x_0. */
VERSO_API verso_status verso_reversible_run(const verso_reversible *chain, const verso_run_options *options,
                                            void *state, void *bar,
                                            int (*start)(void *context, const void *last, void *last_bar),
                                            verso_run_report *report, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
