/* Recording and advancing by the same code, for functions that dual.h would make too large: in each of two copies, a
 * value that is used after a call may come from the other one, so a function with many calls consists mostly of code
 * that brings values from one copy to the other.
 *
 * The code is that which records. While the run only advances, the stores of records go to a small buffer
 * (verso__native_state.record_mask), and the hooks around calls find a site that is off. */
#ifndef CC_SINGLE_H
#define CC_SINGLE_H

#include "cc/plan/body.h"

/* Returns, for each loop, whether it contains no call that is followed. */
bool *cc_find_plain_loops(const cc_body *body);
/* Returns whether a function should have one copy: it has many calls, and little of it is in loops without calls, where
 * stores to the buffer would take time. */
bool cc_prefers_single(const cc_body *body);
/* Makes the code of a recording function, with all its safepoints, work in both modes. */
void cc_make_single(cc_body *body);

#endif
