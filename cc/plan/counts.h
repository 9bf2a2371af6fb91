/* How often a loop goes back, where that follows from the bound of an induction variable. Then it need not be recorded.
 */
#ifndef CC_COUNTS_H
#define CC_COUNTS_H

#include "cc/plan/body.h"

/* The comparison that ends a loop. */
typedef struct cc_loop_test {
    const cc_item *item;    /* the induction variable that is compared */
    bool next;              /* its value in the next iteration is compared */
    LLVMIntPredicate stays; /* the loop goes on if the variable (or its next value) has this relation to `bound` */
    LLVMValueRef bound;
} cc_loop_test;

/* Finds a comparison of an induction variable that every iteration passes. */
bool cc_find_loop_test(const cc_body *body, int loop, cc_loop_test *test);
/* The same; of a nest in blocks of iterations (versions.h), the comparison that the nest had: it holds between any two
 * iterations, but the loop of one block is not left by it. */
bool cc_find_bound(const cc_body *body, int loop, cc_loop_test *test);
/* Notes that a branch, behind the loop of one block of iterations, decides by the comparison that the nest had. */
void cc_mark_blocks(cc_unit *unit, LLVMValueRef branch);
/* Returns the operation that makes an induction variable's value in the next iteration. */
LLVMValueRef cc_induction_next(const cc_body *body, const cc_item *item);
/* Returns whether an induction variable certainly meets a bound that it is compared with for equality. */
bool cc_meets_bound(const cc_body *body, const cc_item *item);
/* Returns whether the loop is only left where an induction variable, over all strips, reaches a bound. Sets the value
 * with which the variable starts, and the bound. */
bool cc_has_count(const cc_body *body, int loop, LLVMValueRef *start, LLVMValueRef *bound);
/* Builds how often such a loop goes back, over all strips (i64), from its start and bound. */
LLVMValueRef cc_build_loop_count(cc_body *body, int loop, LLVMValueRef start, LLVMValueRef bound);

#endif
