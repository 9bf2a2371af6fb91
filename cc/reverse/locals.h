/* Variables of a frame that other functions may access. The run time needs to know where they begin and end
 * (native/state.h: verso__native_locals), because a pointer into the stack does not show it. */
#ifndef CC_LOCALS_H
#define CC_LOCALS_H

#include "cc/plan/body.h"

/* Builds code that adds these variables to the run time's list at the function's entry and removes them before its
 * return. Requires that the function has no safepoints yet. */
void cc_list_locals(cc_body *body);

#endif
