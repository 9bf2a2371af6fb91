/* Stores of integers that may write a part of a double: see native/parts.c. A few instructions look whether there is a
 * derivative to care for; what is to be done then the run time does. */
#ifndef CC_PARTS_H
#define CC_PARTS_H

#include "cc/cc.h"

/* Sets program->doubles_only, from the base copy. */
void cc_find_floats(cc_unit *unit);

/* A store, and the doubles at its beginning and end; `first` is NULL when it writes no part of one. */
typedef struct cc_parts {
    LLVMValueRef address, size;
    LLVMValueRef first, last; /* the addresses of their cells; the same for one double */
    LLVMValueRef before_first, before_last;
} cc_parts;
/* Builds nothing when the store is none of these. `address` is where it stores, at the builder's place. */
cc_parts cc_parts_of(cc_unit *unit, LLVMValueRef store, LLVMValueRef address);
/* Builds whether the cell of one of them is not zero. */
LLVMValueRef cc_parts_any(cc_unit *unit, cc_parts parts);
/* Tangent mode: builds what comes before the store's own cells are set, and after. */
void cc_parts_before(cc_unit *unit, cc_parts *parts);
void cc_parts_after(cc_unit *unit, const cc_parts *parts, bool copied);

#endif
