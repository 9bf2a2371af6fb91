/* What record.c and reverse.c must agree on about entries of the reverse function. */
#ifndef CC_SITE_H
#define CC_SITE_H

#include "cc/body.h"

/* The entries of a reverse function: 0 is its return, then one behind each followed call, the function's entry, and one
 * a block. */
uint64_t cc_resume_after_call(int segment);
uint64_t cc_resume_at_block(const cc_body *body, int block);
/* The loop whose counter tells passes of the block's safepoint apart; NULL: none. */
const cc_loop *cc_counting_loop(const cc_body *body, int block);
/* The counter of a loop in strips, in the last iteration of a strip. */
LLVMValueRef cc_strip_last(const cc_body *body, const cc_loop *loop);
/* The constant verso_native_site of the safepoint at the start of a block (0: the function's entry). */
LLVMValueRef cc_site(cc_body *body, int block);

#endif
