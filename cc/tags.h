/* What type-based alias metadata says of a load or store. Integers in memory may be the bits of a number, whatever
 * their type: a uint64_t that memcpy filled from a double is one. What is accessed as a pointer or a bool is not; an
 * access without a tag, or with char's (as those of union members have), may be anything. */
#ifndef CC_TAGS_H
#define CC_TAGS_H

#include "cc/cc.h"

/* Whether a load or store of an integer, a pointer or a vector of them may move a number. */
bool cc_may_carry(cc_unit *unit, LLVMValueRef access);
/* Whether a load or store is certainly of a float or a double, by the language's own rules. */
bool cc_is_of_number(cc_unit *unit, LLVMValueRef access);
/* Whether it says nothing: what is stored may be read as a number. */
bool cc_may_be_any(cc_unit *unit, LLVMValueRef access);

#endif
