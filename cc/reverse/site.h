/* Entries of reverse functions and safepoint sites, on which record.c, dual.c and reverse.c must agree. */
#ifndef CC_SITE_H
#define CC_SITE_H

#include "cc/plan/body.h"

/* The values of state.entry for a reverse function: 0 enters it at the function's return; the others resume it
 * after a followed call (the one that ends `segment`), or at the safepoint of a block (block 0: the function's
 * entry). */
uint64_t cc_resume_after_call(int segment);
uint64_t cc_resume_at_block(const cc_body *body, int block);
/* Returns the loop whose counter distinguishes the passes of the block's safepoint; NULL if there is none. */
const cc_loop *cc_counting_loop(const cc_body *body, int block);
/* Returns the value that the counter of a loop in strips has in the last iteration of a strip. */
LLVMValueRef cc_strip_last(const cc_body *body, const cc_loop *loop);
/* Returns the constant verso__native_site of the safepoint of a block (0: the function's entry), and adds it if it
 * is missing. */
LLVMValueRef cc_site(cc_body *body, int block);

#endif
