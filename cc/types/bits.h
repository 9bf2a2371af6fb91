/* Integer operations on the bits of numbers: the derivative of a number that a program uses as an integer, changes
 * as bits, and uses as a number again.
 *
 * Every bit of the result is traced back to its origin, a bit of a root (a load, a phi, a parameter, a number that
 * is used as an integer ...). Then each leaf is classified:
 *   - a word whose bits all come from one word of a root, in order, is a copy of that word and has its derivative;
 *   - a number whose mantissa comes from a root, in order, is the root's number times a power of two and perhaps -1,
 *     whatever was done to sign and exponent: fabs, negation, copysign, scaling by adding to the exponent;
 *   - a number whose bits are a sum of a root's bits times a constant is piecewise linear in it (bits_linear.c);
 *   - a word with no bit of any root's mantissa, or none after its own binary point, is piecewise constant;
 *   - everything else is not understood, and a derivative that reaches it is lost. */
#ifndef CC_BITS_H
#define CC_BITS_H

#include "cc/ir/unit.h"

/* The derivative of a leaf. */
typedef enum cc_bits_kind {
    CC_BITS_NOTHING, /* zero */
    CC_BITS_COPY,    /* that of leaf `leaf` of `root` */
    CC_BITS_JOINED,  /* joined from bytes: as COPY if the derivatives of `others` are zero, otherwise lost; `root` may
                      * be NULL */
    CC_BITS_SCALED,  /* as COPY, times (number here) / (number of the root); see cc_bits_number */
    CC_BITS_LINEAR,  /* as COPY, times `times` and the ratio of the units in the last place here and there: see
                      * bits_linear.c */
    CC_BITS_LOST,    /* not understood; see cc_bits_roots */
} cc_bits_kind;

enum { CC_BITS_OTHERS = 9 };

typedef struct cc_bits {
    cc_bits_kind kind;
    LLVMValueRef root;
    unsigned leaf;
    LLVMValueRef others[CC_BITS_OTHERS]; /* CC_BITS_JOINED: the values that the other bytes come from; NULL: none */
    unsigned other_leaf[CC_BITS_OTHERS]; /* the leaf of each of `others` */
    LLVMValueRef partner; /* CC_BITS_COPY: if this is half a double, the load that the other half comes from, or NULL.
                           * Both must be loaded from adjacent addresses, otherwise it is lost: see cc_bits_apart */
    double times;         /* CC_BITS_LINEAR: the constant factor */
    bool wide; /* SCALED and LINEAR: the number is a double, which takes this leaf and the next; otherwise a float */
} cc_bits;

/* Returns whether `value` is an integer operation (also on vectors, or between integers and pointers). The
 * derivatives of its leaves follow from the bits of its operands. */
bool cc_bits_operation(LLVMValueRef value);
/* Traces all leaves of `value`: fills in cc_leaf_count(type of value) entries of `leaves`. varied(context, v) must
 * return whether v may carry a derivative. */
void cc_bits_trace(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                   cc_bits *leaves);
/* Returns whether the value consists of unchanged bits: loaded, or words of loaded values, in order. Sets *origin
 * to the root and the offset in it from which on they are its bits; the root is NULL if they come from several
 * roots or are not adjacent. */
typedef struct cc_bits_origin {
    LLVMValueRef root;
    uint64_t offset; /* in bytes */
} cc_bits_origin;
bool cc_bits_copied(cc_unit *unit, LLVMValueRef value, bool (*varied)(void *, LLVMValueRef), void *context,
                    cc_bits_origin *origin);
/* Builds an i1: true if two loads, from `address` and `partner`, are not of the two halves of one double. */
LLVMValueRef cc_bits_apart(cc_unit *unit, LLVMValueRef address, LLVMValueRef partner);
/* Returns the roots that the operation is traced back to, each once; *count of them, in the region's memory. */
LLVMValueRef *cc_bits_roots(cc_unit *unit, LLVMValueRef value, size_t *count);
/* Builds, as a double, the float (if `wide`, the double) that the bits of `value` from leaf `leaf` on represent. */
LLVMValueRef cc_bits_number(cc_unit *unit, LLVMValueRef value, unsigned leaf, bool wide);
/* SCALED and LINEAR: builds a derivative, arguments[0], times the slope. arguments[1] is the number of the root,
 * arguments[2] the number here. */
LLVMValueRef cc_bits_rescaled(cc_unit *unit, const cc_bits *bits, LLVMValueRef arguments[3]);

#endif
