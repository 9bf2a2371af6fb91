/* Two copies of a recording function's code in one function, on one stack frame.
 *
 *   R  recording: what record.c has made
 *   P  advancing: a copy of R that writes nothing to the tape. The tape's end still moves by the size of each record,
 *      so both copies pass a safepoint at the same place of the tape
 *
 * The mode is asked for where it can have changed: at the entry, and in P behind each followed call and behind each
 * safepoint that has called the run time. There a run that was suspended while advancing goes on recording. Recording
 * never turns into advancing, so R does not ask.
 *
 * Safepoints are built here, too: at the function's entry and on the way back of each loop that has one. */
#ifndef CC_DUAL_H
#define CC_DUAL_H

#include "cc/body.h"

/* Requires records; `tape` is the variable that holds the tape's end, set before it is first read by nobody yet. */
void cc_dual(cc_body *body, LLVMValueRef tape);

#endif
