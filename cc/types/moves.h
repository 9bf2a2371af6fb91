/* Numbers that are only moved from one place to another. lower_moves.c, which moves them as integers, shares this
 * with carried.c and lower_carried.c, which do the same between functions, and restore.c, which makes numbers of them
 * again. */
#ifndef CC_MOVES_H
#define CC_MOVES_H

#include "cc/ir/unit.h"

/* Returns the integer type of the same size as float or double, or the vector type of such integers; NULL for other
 * types. */
LLVMTypeRef cc_moves_integer(cc_unit *unit, LLVMTypeRef type);
/* Returns whether `value` is always equal to one of its operands: a phi, a select, a freeze. */
bool cc_moves_on(LLVMValueRef value);
/* Builds a load of the same bits as `type`. */
LLVMValueRef cc_moves_load(cc_unit *unit, LLVMValueRef load, LLVMTypeRef type);
/* Builds the bits of a value as `type`. If the value is itself a bit cast, uses its operand. */
LLVMValueRef cc_moves_bits(cc_unit *unit, LLVMValueRef value, LLVMTypeRef type);
/* Returns the first instruction after the phis of the phi's block. */
LLVMValueRef cc_moves_after_phis(LLVMValueRef phi);

#endif
