/* Parallel regions of OpenMP, threads, and thread-local variables. */
#ifndef CC_FRONT_THREADS_H
#define CC_FRONT_THREADS_H

#include "cc/ir/program.h"

/* Operands of a call that starts a parallel region: the function of the region, and then its arguments, which follow
 * two pointers to numbers of the thread. */
enum { CC_FORK_BODY = 2, CC_BODY_THREADS = 2 };
/* Functions of native/lib around the loop over the threads of a divided region (cc/lower/teams.c). */
#define CC_TEAM_BEGIN "__kmpc_team_begin"
#define CC_TEAM_SHARE "__kmpc_team_share"
#define CC_TEAM_END "__kmpc_team_end"
/* Declares them, if the program has parallel regions, so that native/lib is asked for them. */
void cc_declare_teams(cc_unit *unit);
/* Calls add(context, function) for each of them. */
void cc_visit_teams(cc_unit *unit, void (*add)(void *context, LLVMValueRef function), void *context);
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
