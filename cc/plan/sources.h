/* How the reverse function obtains the values that the adjoint code of a segment needs. A value is free in a block if
 * it can be computed there without any tape: from constants, what stays the same or steps back with a loop, and copies
 * (ranges.h). */
#ifndef CC_SOURCES_H
#define CC_SOURCES_H

#include "cc/plan/body.h"

/* Makes a slot of this type. Returns its number. */
int cc_new_slot(cc_body *body, LLVMTypeRef type, bool adjoint);
/* Adds a need of the segment, whose source cc_plan_needs chooses; no-op for constants. */
void cc_add_need(cc_body *body, cc_segment *segment, LLVMValueRef value);
/* Chooses the sources of all needs, and of the values that these need in turn. */
void cc_plan_needs(cc_body *body, cc_segment *segment);
/* Returns whether the value is free in this block. */
bool cc_is_free(cc_body *body, LLVMValueRef value, int block);
/* To be called when more values have become free. */
void cc_forget_free(cc_body *body);
/* Adds a need for a value that is free in the segment's block, and chooses its source. */
void cc_need_free(cc_body *body, cc_segment *segment, LLVMValueRef value);
/* Returns whether the operation is one on integers or addresses, or a load of a constant, which is cheap to compute
 * again. A load must only be computed again where the program executes it, too. */
bool cc_is_integer_operation(const cc_item *item);

#endif
