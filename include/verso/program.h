/* A program: something that can advance, be captured, be resumed, and be reversed over a stretch of steps. It knows
 * neither why it is interrupted nor where its capsules go. `loop.h` makes one of a user's callbacks; anyone may fill in
 * this table.
 *
 * What a program promises
 *  1. It is deterministic: x_s, and the adjoint of x_s, have the same bits however often and in whichever process they
 *     are computed.
 *  2. When it is handed to the driver its working state is x_0, in every process anew.
 *  3. A capsule holds all that the future depends on: after `resume` of a state capsule `advance` and `reverse` do what
 *     they would have done without an interruption; after `resume` of an adjoint capsule so does `reverse`.
 *  4. A call that fails says why in `error`. The driver then ends the run; a durable one can be continued. */
#ifndef VERSO_PROGRAM_H
#define VERSO_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/capsule.h>
#include <verso/identity.h>
#include <verso/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct verso_program_operations {
    /* The working state is x_from; make it x_to, without recording. *reached is `to` on entry; a program that finds
     * that the computation has only m < to steps stops at x_m and sets *reached to m (m = from is possible, too). */
    verso_status (*advance)(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error);

    /* The working state is x_to, the adjoint that of x_from. Record [to, from), sweep it backwards; the adjoint is then
     * that of x_to, the working state whatever it is. When `last` is true `from` is the last state of all and there is
     * no adjoint yet: start it there. A computation of no steps is reversed once, with from = to = 0 and last. */
    verso_status (*reverse)(void *self, uint64_t from, uint64_t to, bool last, verso_error *error);

    /* Bytes that `capture` would write now. */
    size_t (*capsule_size)(void *self, verso_capsule_kind kind);
    verso_status (*capture)(void *self, verso_capsule_kind kind, void *bytes, size_t size, verso_error *error);
    /* `size` is what capsule_size said when these bytes were captured. */
    verso_status (*resume)(void *self, verso_capsule_kind kind, const void *bytes, size_t size, verso_error *error);

    /* Bytes of memory that `reverse` needs, besides the working state and the adjoint, for a stretch of so many steps.
     * They count against the budget. NULL: none. */
    size_t (*recording_size)(void *self, uint64_t steps);
} verso_program_operations;

typedef struct verso_program {
    const verso_program_operations *operations;
    void *self;
    uint64_t steps;          /* VERSO_UNKNOWN: `advance` will tell */
    size_t capsule_most;     /* no state capsule is larger: budgets count with it; 0: all are as large as that of x_0 */
    size_t adjoint_most;     /* the same of adjoint capsules */
    verso_identity identity; /* of the code and its inputs: a run is continued only by the program that began it */
} verso_program;

#ifdef __cplusplus
}
#endif
#endif
