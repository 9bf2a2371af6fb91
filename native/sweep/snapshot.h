/* Small snapshots: what a checkpointed call needs to be run again, if it is known what the call may access. */
#ifndef NATIVE_SWEEP_SNAPSHOT_H
#define NATIVE_SWEEP_SNAPSHOT_H

#include "native/sweep/reach.h"

/* The registers when the callee is entered: its arguments, and those that it must preserve. */
typedef struct verso__native_registers {
    uint64_t general[6];   /* rdi, rsi, rdx, rcx, r8, r9 */
    uint64_t vector[8][2]; /* xmm0 to xmm7 */
    uint64_t preserved[6]; /* rbx, rbp, r12 to r15 */
    uint32_t mxcsr;        /* floating-point modes */
    uint16_t x87_control, unused;
} verso__native_registers;

/* Calls verso__native_call_reached with the registers and the address of the return address on the stack, and continues
 * in the function that it returns, as if that had been called. Private stack only. */
void verso__native_call_through(void);
void *verso__native_call_reached(const verso__native_registers *registers, char *stack);
/* Called by the callee's return address after a call that was recorded again. */
_Noreturn void verso__native_call_returned(void);

/* Finds what the call that is entered now needs, and returns the size of its snapshot in bytes; 0: it needs all memory.
 * Private stack only. */
size_t verso__native_snapshot_size(const verso__native_effects *effects, const verso__native_registers *registers,
                                   char *stack, void *callee);
/* Writes the snapshot. Must directly follow verso__native_snapshot_size. */
void verso__native_snapshot_write(char *bytes);
/* Returns whether these bytes, which precede a note on the tape, are a small snapshot. */
bool verso__native_snapshot_is_small(const char *bytes);
/* Prepares the private stack to enter the call again, with memory as it was then. `again`: the call is recorded for its
 * reversal and then returns to verso__native_call_returned; afterwards, verso__native_snapshot_leave must be called.
 * Otherwise it returns to where it was called. */
verso_status verso__native_snapshot_enter(const char *bytes, bool again, verso_error *error);
/* Ends a call that was recorded again: gives memory of the heap that was in other use its contents back. No-op after a
 * call whose snapshot was not small. */
void verso__native_snapshot_leave(void);
/* Frees all memory. */
void verso__native_snapshot_forget(void);

#endif
