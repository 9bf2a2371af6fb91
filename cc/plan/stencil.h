/* Stencils: loads of a loop nest that read neighbouring numbers, so that a number which one of them reads in an
 * iteration is read by another one in another iteration. */
#ifndef CC_STENCIL_H
#define CC_STENCIL_H

#include "cc/plan/body.h"

/* Returns whether so many of the loads are neighbours that a copy of what they read takes much less than what each of
 * them reads. Two loads are neighbours if their addresses differ by a number of steps of a loop of the nest. */
bool cc_is_stencil(const cc_body *body, int nest, LLVMValueRef *loads, size_t count);

#endif
