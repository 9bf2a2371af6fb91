/* Finds accesses that certainly never touch the same bytes. */
#ifndef CC_OVERLAP_H
#define CC_OVERLAP_H

#include "cc/plan/body.h"

/* Returns whether a load or store is neither volatile nor atomic. */
bool cc_is_plain(LLVMValueRef access);
/* Returns whether one of two loads or stores accesses numbers and the other integers, by their classes (ir/tags.h), so
 * that they never overlap, whatever their addresses are. */
bool cc_is_number_beside_integer(cc_unit *unit, LLVMValueRef one, LLVMValueRef other);
/* Returns whether that is so, or they access two memories (ir/tags.h). */
bool cc_never_overlap(cc_unit *unit, LLVMValueRef one, LLVMValueRef other);
/* Returns whether two pointers lead to different objects, because one of them is the address of a variable, of a global
 * or of a fresh block that the other cannot lead to. */
bool cc_are_apart(LLVMValueRef root, LLVMValueRef other);

#endif
