/* Indices that a program computes in 32 bits. LLVM widens i * n + (j - 1), computed as int, to the low 32 bits, with
 * their sign, of i * n + j + 0xffffffff in 64 bits, because it has lost the information that the int does not wrap.
 * Code that looks at addresses learns nothing from such an index. Versions of loop nests (ranges.h) test that the sum
 * fits 32 bits, and use it as it is. */
#ifndef CC_NARROW_H
#define CC_NARROW_H

#include "cc/plan/body.h"

/* Values of a nest that are to be replaced, once the condition is known to hold. */
typedef struct cc_narrow {
    LLVMValueRef *values;
    size_t count, capacity;
    LLVMValueRef fit; /* i1, where the nest is entered: all of them are equal to their sums; NULL: there are none */
    bool closed;      /* no more conditions are built */
} cc_narrow;

/* Returns the 64-bit integer of which `value` is the low 32 bits with their sign; NULL if it is no such value. */
LLVMValueRef cc_widened(LLVMValueRef value);
/* Makes large constants in such integers the small negative ones that have the same low 32 bits. Products that LLVM has
 * combined with the shift which keeps the low half become products and shifts again. */
void cc_make_small_terms(cc_unit *unit, cc_function *function);
/* Notes a value whose 64-bit integer is from `lo` to `hi`. */
void cc_note_narrow(cc_unit *unit, cc_narrow *narrow, LLVMValueRef value, LLVMValueRef lo, LLVMValueRef hi);
/* Replaces the values by their sums. */
void cc_replace_narrow(const cc_narrow *narrow);

#endif
