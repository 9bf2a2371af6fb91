/* Distances: proofs, when compiling, that two addresses differ. An address is written as a sum of induction variables
 * with constant factors; the variables that both have cancel, and the others are replaced by their bounds, from the
 * inside to the outside. So a[i][k] and a[i][j] are apart in a loop over k < j, although a row contains both. */
#ifndef CC_DISTANCE_H
#define CC_DISTANCE_H

#include "cc/plan/body.h"

/* Returns whether a load or store of a loop certainly never touches, while the loop runs, the `size` bytes at `there`,
 * an address that does not change in the loop. */
bool cc_is_never_at(const cc_body *body, int loop, LLVMValueRef access, LLVMValueRef there, int64_t size);

#endif
