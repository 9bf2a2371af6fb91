/* Masks of vectors, and masked loads and stores. */
#ifndef CC_MASKS_H
#define CC_MASKS_H

#include "cc/front/machine.h"

/* Builds a vector of `lanes` i1 from a mask, which is such a vector already, an integer with one bit per lane, or a
 * vector whose sign bits are the mask. The mask applies to the first `meant` lanes; the others are true. */
LLVMValueRef cc_mask(cc_unit *unit, LLVMValueRef mask, unsigned lanes, unsigned meant);

/* masked.c: replaces a processor's intrinsic that loads or stores by loads and stores of single lanes. */
void cc_lower_masked_machine(cc_unit *unit, LLVMValueRef call, const cc_machine *machine);

#endif
