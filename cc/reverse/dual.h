/* Puts two copies of a function's code into one function, with one stack frame:
 *
 *   R  records: the code that record.c has made
 *   P  advances: a copy of R that writes nothing to the tape. It still moves the end of the tape by the size of each
 *      record, so both copies pass a safepoint at the same position of the tape
 *
 * The code tests the mode where it can have changed: at the entry, and in P after each followed call and after each
 * safepoint that has called the run time. There a run that was suspended while advancing continues recording.
 * Recording never changes to advancing, so R does not test the mode.
 *
 * This pass also builds the safepoints: at the function's entry, and on the back edge of each loop that has one. */
#ifndef CC_DUAL_H
#define CC_DUAL_H

#include "cc/plan/body.h"

/* Requires that record.c has added the records. `tape` is the variable for the end of the tape; no code sets it yet
 * before its first use, so this pass does. */
void cc_make_dual(cc_body *body, LLVMValueRef tape);

#endif
