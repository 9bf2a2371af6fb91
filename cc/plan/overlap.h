/* Finds accesses that certainly never touch the same bytes. */
#ifndef CC_OVERLAP_H
#define CC_OVERLAP_H

#include "cc/plan/body.h"

/* Returns whether the memory of two loads or stores never overlaps, whatever their addresses are: one is of
 * numbers and the other of integers, by their classes, or they access two memories (ir/tags.h). */
bool cc_never_overlap(cc_unit *unit, LLVMValueRef one, LLVMValueRef other);
/* Returns whether two pointers lead to different objects, because one of them is the address of a variable, of a global
 * or of a fresh block that the other cannot lead to. */
bool cc_are_apart(LLVMValueRef root, LLVMValueRef other);

#endif
