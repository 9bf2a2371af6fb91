/* Numbers that are only moved, from one place to another: what lower_moves.c, which moves them as integers, shares with
 * carried.c and lower_carried.c, which do the same between functions. */
#ifndef CC_MOVES_H
#define CC_MOVES_H

#include "cc/cc.h"

/* The integer of the same size, or the vector of such; NULL: the type is neither float nor double. */
LLVMTypeRef cc_moves_integer(cc_unit *unit, LLVMTypeRef type);
/* Whether it is one of its operands: a phi, a select, a freeze. */
bool cc_moves_on(LLVMValueRef value);
/* Builds the bits of a value as `type`; what was taken for something else before is taken as it was. */
LLVMValueRef cc_moves_bits(cc_unit *unit, LLVMValueRef value, LLVMTypeRef type);
LLVMValueRef cc_moves_after_phis(LLVMValueRef phi);

#endif
