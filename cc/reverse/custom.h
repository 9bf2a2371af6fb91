/* Calls of functions that have a custom adjoint (VERSO_CUSTOM_ADJOINT in include/verso/native.h). */
#ifndef CC_CUSTOM_H
#define CC_CUSTOM_H

#include "cc/plan/body.h"
#include "cc/reverse/inside.h"

/* Recording: replaces the call `call` (an item), which is just after the builder, by a call of the user's `record`,
 * and makes that the value of the item. `tape` is the variable with the end of the tape. */
void cc_record_custom(cc_body *body, int call, LLVMValueRef tape);
/* Reversing, at the start of the segment that the call ends, with the adjoint of the result in state.result: moves
 * the tape to before the kept bytes. Returns the verso_call, for cc_sweep_custom. */
LLVMValueRef cc_sweep_custom_begin(cc_sweep *sweep);
/* Reversing, when the segment's record is available: calls the user's `sweep` and adds the adjoints of the
 * arguments. `call` is the marker (CC_CALL_CUSTOM), `kept` what cc_sweep_custom_begin returned. */
void cc_sweep_custom(cc_sweep *sweep, LLVMValueRef call, LLVMValueRef kept);

#endif
