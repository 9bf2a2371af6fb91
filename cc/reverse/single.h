/* Makes one copy of a function's code both record and advance, where the two copies of dual.h would be too large: after
 * each call, the advancing copy may continue in the recording one, so a value that is used after a call may come from
 * either, and a function with many calls would consist mostly of code that brings values from one copy to the other.
 *
 * The one copy is the recording code. While the run only advances, its stores of records go to a small buffer
 * (verso__native_state.record_mask), and the hooks around calls (callsite.h) get a call site that is off. */
#ifndef CC_SINGLE_H
#define CC_SINGLE_H

#include "cc/plan/body.h"

/* Returns whether a function should have one copy: it has many calls, and little of it is in loops without calls, where
 * stores to the buffer would take time. */
bool cc_prefers_single(const cc_body *body);
/* Makes the code of a recording function, with all its safepoints, work in both modes. */
void cc_make_single(cc_body *body);

#endif
