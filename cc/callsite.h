/* Calls that can be checkpointed when the program runs: what recording and reverse functions have at each. */
#ifndef CC_CALLSITE_H
#define CC_CALLSITE_H

#include "cc/body.h"

/* The verso_native_callsite (native/state.h) of the followed call that ends a segment; NULL: it has none, for it is
 * within a function of lib/. */
LLVMValueRef cc_callsite(cc_body *body, int segment);
/* Where the builder is, in front of or behind the call that ends the segment: asks the run time, if the site is on. */
typedef enum cc_hook { CC_HOOK_ENTER, CC_HOOK_LEAVE } cc_hook;
void cc_build_hook(const cc_body *body, cc_hook hook, int segment, LLVMValueRef site);
/* Code that only records has them: what advances does not. */
bool cc_is_hook(LLVMValueRef instruction);
/* Reverse: the callee's reverse function, or what stands for it when the site is on. */
LLVMValueRef cc_build_reversed(cc_unit *unit, LLVMValueRef site, LLVMValueRef reverse);

#endif
