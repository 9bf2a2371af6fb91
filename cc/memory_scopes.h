/* Alias scopes: tape, run-time state and the program's memory (with its shadow) never overlap, which LLVM cannot know.
 */
#ifndef CC_MEMORY_SCOPES_H
#define CC_MEMORY_SCOPES_H

#include "cc/cc.h"

typedef enum cc_scope {
    CC_SCOPE_TAPE,
    CC_SCOPE_STATE,
    CC_SCOPE_PROGRAM,
    CC_SCOPES,
} cc_scope;

/* Marks a load or store; returns it. */
LLVMValueRef cc_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope);
/* Whether it is still marked so. */
bool cc_is_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope);

#endif
