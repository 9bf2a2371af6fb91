/* What type-based alias metadata says of a load or store. Under C's rules bytes that were written as an int or a
 * pointer are not read as a number, so such accesses cannot move one as bits; what carries no tag, or char's (as
 * accesses of union members do), may. With -fno-strict-aliasing there are no tags, and everything may. */
#ifndef CC_TAGS_H
#define CC_TAGS_H

#include "cc/cc.h"

/* Whether a load or store of an integer, a pointer or a vector of them may move a number. */
bool cc_may_carry(cc_unit *unit, LLVMValueRef access);
/* The same without trust in what integer types are used for: a program may keep the bits of a number in a uint64_t, put
 * there by memcpy. Only what is a pointer, a bool or too short is not followed. */
bool cc_may_hold(cc_unit *unit, LLVMValueRef access);

#endif
