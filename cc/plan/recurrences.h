/* Values that step back with a loop although they do not grow by a constant: phis to which each iteration adds an
 * that can be computed again, as the pointer that runs over the rows of a packed triangle. And last values of induction
 * variables that follow from their first ones. */
#ifndef CC_RECURRENCES_H
#define CC_RECURRENCES_H

#include "cc/plan/body.h"

/* Sets item->recurrence. */
void cc_find_recurrences(cc_body *body);
/* Returns the amount that an iteration adds: an integer, or the index of the element to which it moves a pointer. */
LLVMValueRef cc_recurrence_amount(const cc_body *body, const cc_item *item);
/* Builds the value in an iteration from that in the next one, and the amount. */
LLVMValueRef cc_build_step_back(const cc_body *body, const cc_item *item, LLVMValueRef next, LLVMValueRef amount);
/* Sets item->from_start of the induction variables that have slots: their loops are only left to blocks in which the
 * start is free. */
void cc_plan_starts(cc_body *body);

#endif
