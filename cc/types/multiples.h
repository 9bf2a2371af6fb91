/* What an integer is a multiple of. */
#ifndef CC_TYPES_MULTIPLES_H
#define CC_TYPES_MULTIPLES_H

#include "cc/ir/unit.h"

/* Returns the greatest common divisor; that of a number and 0 is the number. */
uint64_t cc_common_divisor(uint64_t a, uint64_t b);
/* Returns a number that the integer is certainly a multiple of; 0 if it is 0. */
uint64_t cc_multiple_of(LLVMValueRef integer);

#endif
