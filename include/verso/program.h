/* A program is the computation that the driver (run.h) differentiates, as a table of operations: run steps forward,
 * reverse steps, save and load the state or the adjoint. x_s is the state after s steps. verso_loop_program (loop.h)
 * makes a program from callbacks; you can also fill in the table yourself. A program does not know the schedule, nor
 * where its capsules are kept.
 *
 * A program must guarantee:
 *  1. It is deterministic: x_s and the adjoint of x_s have the same bits however often, and in whichever process, they
 *     are computed.
 *  2. Its working state is x_0 when it is passed to verso_run, in every process of a durable run.
 *  3. A capsule is complete: after `resume` of a state capsule, `advance` and `reverse` do what they would have done
 *     without the interruption; after `resume` of an adjoint capsule, so does `reverse`.
 *
 * Errors: an operation that fails returns a status other than VERSO_STATUS_OK and writes the reason to `error`.
 * verso_run then ends the run with that status; a durable run can be continued by calling verso_run again.
 *
 * Threads: verso_run calls all operations in its own caller's thread. Use a program in one thread at a time. */
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

/* `self` is the field `self` of the program. Every operation but recording_size is required. */
typedef struct verso_program_operations {
    /* Advances the working state from x_from to x_to without recording. *reached equals `to` on entry. If the
     * computation turns out to have only m < to steps, stops at x_m and sets *reached to m (m may equal `from`). */
    verso_status (*advance)(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error);

    /* Records the steps [to, from) and sweeps them backwards. On entry the working state is x_to and the adjoint is
     * that of x_from; afterwards the adjoint is that of x_to and the working state is unspecified. If `last` is true,
     * x_from is the final state and there is no adjoint yet: the operation initialises it there. A computation without
     * steps is reversed once, with from = to = 0 and last = true. */
    verso_status (*reverse)(void *self, uint64_t from, uint64_t to, bool last, verso_error *error);

    /* Returns the number of bytes that `capture` would write now. verso_run also asks for the size of an adjoint
     * capsule at x_0, before there is an adjoint. */
    size_t (*capsule_size)(void *self, verso_capsule_kind kind);
    /* Writes the working state (or the adjoint) to `bytes`; `size` is the result of capsule_size. */
    verso_status (*capture)(void *self, verso_capsule_kind kind, void *bytes, size_t size, verso_error *error);
    /* Makes the captured state the working state (or the captured adjoint the adjoint). `size` is the number of bytes
     * that were captured. */
    verso_status (*resume)(void *self, verso_capsule_kind kind, const void *bytes, size_t size, verso_error *error);

    /* Returns the bytes of memory that `reverse` needs for `steps` steps, in addition to the working state and the
     * adjoint. They count against the memory budget. May be NULL: no bytes. */
    size_t (*recording_size)(void *self, uint64_t steps);
} verso_program_operations;

/* The caller of verso_run owns the program and whatever `self` points to. */
typedef struct verso_program {
    const verso_program_operations *operations;
    void *self;
    uint64_t steps; /* number of steps; VERSO_UNKNOWN: `advance` finds the end (see *reached) */
    /* Upper bounds in bytes, from which the driver computes how many capsules the memory budget holds. With a budget, a
     * state larger than capsule_most + capsule_spare ends the run with VERSO_STATUS_USER. */
    size_t capsule_most; /* of any state capsule; 0, or less than the size at x_0: the size at x_0 */
    size_t adjoint_most; /* likewise of any adjoint capsule */
    size_t start_most;   /* of the state capsule of x_0; 0: capsule_most */
    /* Identifies the code and its inputs. Only a program with the same identity can continue a durable run. */
    verso_identity identity;
    /* Single states may exceed capsule_most by up to this many bytes; the stores still keep the total in the budget. */
    size_t capsule_spare;
} verso_program;

#ifdef __cplusplus
}
#endif
#endif
