/* Describes the effects of a call for the run time, in the current module. */
#ifndef CC_EFFECTS_TABLE_H
#define CC_EFFECTS_TABLE_H

#include "cc/ir/unit.h"

/* Returns the address of the verso__native_effects (native/state.h) of a followed call; a null pointer if the call may
 * access anything, or if it passes arguments in a way that the run time does not repeat. Requires cc_find_effects. */
LLVMValueRef cc_effects_table(cc_unit *unit, LLVMValueRef call);

#endif
