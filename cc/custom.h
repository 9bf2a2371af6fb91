/* Calls of functions that have a custom adjoint (VERSO_CUSTOM_ADJOINT in include/verso/native.h). */
#ifndef CC_CUSTOM_H
#define CC_CUSTOM_H

#include "cc/body.h"
#include "cc/reverse.h"

/* Recording: at the builder, just before the call (an item). The call becomes one of the user's `record`; the item is
 * then that call. `tape` is the variable with the tape's end. */
void cc_record_custom(cc_body *body, int call, LLVMValueRef tape);
/* Reversing: at the start of the segment that the call ends; the result's adjoint is in state.result. Moves the tape to
 * before what was kept; the second part, when the record is at hand, calls the user's `sweep` and adds the adjoints of
 * the arguments. */
LLVMValueRef cc_sweep_custom_begin(cc_sweep *sweep);
void cc_sweep_custom(cc_sweep *sweep, LLVMValueRef call, LLVMValueRef kept);

#endif
