/* Call sites: calls that can be checkpointed at run time. Recording and reverse functions have code for each. */
#ifndef CC_CALLSITE_H
#define CC_CALLSITE_H

#include "cc/plan/body.h"

/* Returns the verso__native_callsite (native/state.h) of the followed call that ends a segment, and adds it if it
 * is missing. NULL if the call has none, because it is in a function of lib/. */
LLVMValueRef cc_callsite(cc_body *body, int segment);
/* Builds, before the call that ends the segment, code that returns the function to call: `callee`, or what the run time
 * returns if the site is on. The copy that advances calls `callee` itself. */
LLVMValueRef cc_build_enter(const cc_body *body, int segment, LLVMValueRef site, LLVMValueRef callee);
/* Builds, after the call, a call of the run time that is made if the site is on. */
void cc_build_leave(const cc_body *body, int segment, LLVMValueRef site);
/* Returns whether the instruction is one of these. Code that records has them, code that advances does not. */
bool cc_is_hook(LLVMValueRef instruction);
/* Returns the `callee` that the instruction was built with if cc_build_enter has made it, else NULL. */
LLVMValueRef cc_callee_of_hook(LLVMValueRef instruction);
/* Builds, in a reverse function, `reverse` (the reverse function of the callee), or, if the site is on, the run
 * time's function that replaces it. */
LLVMValueRef cc_build_reversed(cc_unit *unit, LLVMValueRef site, LLVMValueRef reverse);

#endif
