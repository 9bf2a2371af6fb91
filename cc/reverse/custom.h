/* Calls of functions that have a custom adjoint (VERSO_CUSTOM_ADJOINT in include/verso/native.h). */
#ifndef CC_CUSTOM_H
#define CC_CUSTOM_H

#include "cc/plan/body.h"
#include "cc/reverse/inside.h"

/* Recording: replaces the call `call` (an item), which is just after the builder, by a call of the user's `record`,
 * and makes that the value of the item. `tape` is the variable with the end of the tape. */
void cc_record_custom(cc_body *body, int call, LLVMValueRef tape);
/* Builds code for the place where the reverse function enters the segment that the call ends; the adjoint of the result
 * is in state.result there. The code moves the tape to before the kept bytes. Returns the address of a new verso_call,
 * to be passed to cc_sweep_custom. */
LLVMValueRef cc_sweep_custom_begin(cc_sweep *sweep);
/* Builds code for the place where the segment's record is available: calls the user's sweep and adds the adjoints of
 * the arguments. `marker` is the call's item (CC_CALL_CUSTOM), `passed` the result of cc_sweep_custom_begin. */
void cc_sweep_custom(cc_sweep *sweep, LLVMValueRef marker, LLVMValueRef passed);

#endif
