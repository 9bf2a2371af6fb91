/* The private stack, on which differentiated functions and the reverse sweep run. The host's stack is the one of the
 * program's ordinary code. Functions marked "private stack only" must be called while the private stack runs. */
#ifndef NATIVE_MEMORY_STACK_H
#define NATIVE_MEMORY_STACK_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Why verso__native_stack_go returned. */
typedef enum verso__native_outcome {
    VERSO_NATIVE_SUSPENDED, /* the private stack can be resumed */
    VERSO_NATIVE_ENDED,     /* the function that was started has returned */
    VERSO_NATIVE_FAILED,    /* the function gave up; verso__native_failure_now holds the reason */
} verso__native_outcome;

/* ---- Starting, suspending, resuming ---- */

/* Returns the highest end of the private stack, which grows downwards. */
char *verso__native_stack_top(void);
/* Prepares the private stack so that the next verso__native_stack_go calls body(). */
void verso__native_stack_start(void (*body)(void));
/* Prepares the private stack so that the next verso__native_stack_go enters `function` with its return address at
 * `stack`, which the caller has written, and with these registers: rbx, rbp, r12 to r15, and floating-point modes. */
void verso__native_stack_enter(char *stack, void (*function)(void), const uint64_t preserved[6], uint32_t mxcsr,
                               uint16_t x87_control);
/* Switches to the private stack and returns when that stack is suspended, has ended or has failed. */
verso__native_outcome verso__native_stack_go(void);
/* Private stack only. Makes verso__native_stack_go return VERSO_NATIVE_SUSPENDED. Returns when the stack is resumed;
 * it returns once for each time that the stack, or a copy of it that was put back, is resumed. */
void verso__native_stack_suspend(void);
/* Returns true while the private stack runs. */
bool verso__native_stack_is_running(void);
/* Returns the stack pointer of the suspended private stack. */
char *verso__native_stack_pointer(void);
/* Sets the stack pointer of the suspended private stack, after a copy of that stack was put back. */
void verso__native_stack_set_pointer(char *pointer);
/* Sets the stack protector's canary (-fstack-protector) for the time while the private stack runs. A durable run needs
 * the same canary in all its processes. 0: the canary of this process. */
void verso__native_stack_set_canary(uint64_t canary);

/* ---- Failures ---- */

/* Private stack only. Records an error and makes verso__native_stack_go return VERSO_NATIVE_FAILED. */
_Noreturn void verso__native_give_up(verso_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Calls body(context). If it gives up, returns true at once, with the error. Any thread; a thread of a team must be
 * within such a call when it gives up. */
bool verso__native_catch(void (*body)(void *context), void *context, verso_error *error);
/* Returns the error of the run that failed last. A run that cannot continue writes it. */
verso_error *verso__native_failure_now(void);
/* Installs a handler for SIGSEGV that turns an overflow of the private stack into a failure. For faults at other
 * addresses, the handler calls `explain`, which must give up if the fault belongs to the differentiation and return
 * otherwise; then the handler that was installed before gets the signal. */
verso_status verso__native_faults_catch(void (*explain)(const char *address), verso_error *error);
/* Removes that handler. */
void verso__native_faults_release(void);

/* ---- Memory of the private stack, in bytes ---- */

/* Records a depth of the stack, for verso__native_stack_deepest. */
void verso__native_stack_note_depth(size_t size);
/* Returns the greatest depth that was recorded since verso__native_stack_forget_depth. */
size_t verso__native_stack_deepest(void);
void verso__native_stack_forget_depth(void);
/* Gives back the memory that a deep recursion took. */
void verso__native_stack_trim(void);
/* Returns the bytes of the private stack that are in memory: at least as many as were used since the last
 * verso__native_stack_trim. */
size_t verso__native_stack_used(void);

#endif
