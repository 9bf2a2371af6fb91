/* Parallel regions of OpenMP, threads, and thread-local variables. */
#ifndef CC_FRONT_THREADS_H
#define CC_FRONT_THREADS_H

#include "cc/ir/program.h"

/* Operands of a call that starts a parallel region: the function of the region, and then its arguments, which follow
 * two pointers to numbers of the thread. */
enum { CC_FORK_BODY = 2, CC_BODY_THREADS = 2 };
/* If the instruction starts a parallel region of OpenMP, returns the function of the region, otherwise NULL. */
LLVMValueRef cc_forked(LLVMValueRef call);
/* Returns whether the program uses a function that starts threads, other than by OpenMP. */
bool cc_makes_threads(LLVMModuleRef module);
/* The function that stands for the choice between the copies of a thread-local variable, its argument; and the
 * beginning of the name of the variable for other threads than the first. */
#define CC_THREAD_COPY "verso.thread.copy"
#define CC_THREAD_COPIES "verso.thread."
/* Replaces thread-local variables by ordinary ones; in programs with OpenMP, their addresses by calls of
 * CC_THREAD_COPY. */
void cc_prepare_thread_locals(cc_unit *unit, LLVMModuleRef module);

#endif
