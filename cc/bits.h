/* Integer operations on the bits of numbers: what becomes of a number's derivative when a program takes it for an
 * integer, works on the bits, and takes them for a number again.
 *
 * Every bit of the result is traced back to where it came from (its root: a load, a phi, a parameter, a number taken
 * for an integer ...). Then, leaf by leaf, a word whose bits all come from one word of a root, in order, is that word:
 * its derivative comes along; a number whose mantissa comes from a root, in order, is the root's number times a power
 * of two and perhaps -1, whatever was done to sign and exponent: fabs, negation, copysign, scaling by adding to the
 * exponent; a word that has no bit of any root's mantissa is piecewise constant; all else is not understood, and a
 * derivative that comes to it is lost. */
#ifndef CC_BITS_H
#define CC_BITS_H

#include "cc/cc.h"

typedef enum cc_bits_kind {
    CC_BITS_NOTHING, /* no derivative */
    CC_BITS_COPY,    /* that of leaf `leaf` of `root` */
    CC_BITS_JOINED,  /* the same, if those of `others` are zero, otherwise lost: put together of bytes. root may be NULL
                      */
    CC_BITS_SCALED,  /* as COPY, times (number here) / (number there); see cc_bits_number */
    CC_BITS_LOST,    /* not understood; see cc_bits_roots */
} cc_bits_kind;

enum { CC_BITS_OTHERS = 9 };

typedef struct cc_bits {
    cc_bits_kind kind;
    LLVMValueRef root;
    unsigned leaf;
    LLVMValueRef others[CC_BITS_OTHERS]; /* CC_BITS_JOINED: what the other bytes are of; NULL: nothing */
    unsigned other_leaf[CC_BITS_OTHERS];
    LLVMValueRef partner; /* CC_BITS_COPY: half a double, the other half of which is bits of this load; NULL. Both must
                           * be loaded side by side, otherwise it is lost: see cc_bits_apart */
    bool wide; /* CC_BITS_SCALED: the number is a double, which takes this leaf and the next; otherwise a float */
} cc_bits;

/* Whether it is an integer operation (also on vectors, or between integers and pointers), which has no leaves of its
 * own making: they follow from the bits of its operands. */
bool cc_bits_operation(LLVMValueRef value);
/* Fills in cc_leaf_count(type of value) entries. `varied(context, v)`: whether v may carry a derivative. */
void cc_bits_trace(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                   cc_bits *leaves);
/* Whether the value is bits as they were: loaded, or words of such, in order; and from where on they were bits of which
 * root. NULL: of several, or not side by side. */
typedef struct cc_bits_origin {
    LLVMValueRef root;
    uint64_t offset; /* in bytes */
} cc_bits_origin;
bool cc_bits_copied(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                    cc_bits_origin *origin);
/* Builds whether two loads are not of the halves of one double: `address` and `partner` are theirs. */
LLVMValueRef cc_bits_apart(cc_unit *unit, LLVMValueRef address, LLVMValueRef partner);
/* The values that the operation goes back to, each once; *count of them, in the region's memory. */
LLVMValueRef *cc_bits_roots(cc_unit *unit, LLVMValueRef value, size_t *count);
/* Builds, as a double, the float (double, when wide) that the bits of `value` from leaf `leaf` on are. */
LLVMValueRef cc_bits_number(cc_unit *unit, LLVMValueRef value, unsigned leaf, bool wide);

#endif
