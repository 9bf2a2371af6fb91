/* What is recorded: for each segment the values that its adjoint code needs, and how the reverse function comes by
 * each.
 *
 *   induction variables are stepped back; values that do not change in a loop are recorded once, where it is left;
 * cheap operations on what is there are done again; the rest goes into the segment's record. */
#ifndef CC_PLAN_H
#define CC_PLAN_H

#include "cc/body.h"

/* Requires activity. Sets local, slots, needs, fields, sizes and safepoints. */
void cc_plan(cc_body *body);
/* Whether the loop is left by who enters the block. */
bool cc_leaves_loop(const cc_body *body, const cc_loop *loop, int block);
/* The value of an induction variable in the first iteration. */
LLVMValueRef cc_induction_start(const cc_body *body, const cc_item *item);
/* NULL: the segment does not need it. */
cc_need *cc_need_find(const cc_segment *segment, int item);

/* The slots that hold something at a point of the reverse function and must outlive it: behind the call that ends
 * `segment`, or behind the phis of `block`. One bool a slot. */
bool *cc_live_after_call(cc_body *body, int segment);
bool *cc_live_at_block(cc_body *body, int block);

#endif
