/* What bits_origin.c, which follows bits to their origins, bits_leaves.c, which decides the derivatives of leaves, and
 * bits_linear.c, which recognises sums of bits, share. */
#ifndef CC_BITS_INSIDE_H
#define CC_BITS_INSIDE_H

#include "cc/types/bits.h"
#include "native/state.h"

enum {
    BYTE = 8,
    WORD = 32,
    MOST_BITS = 256, /* for AVX: LLVM extracts doubles from <4 x double> by shifting an i256 */
    MOST_DEPTH = 24,
    MOST_OPERATIONS = 200,
    MOVED_DEPTH = 10,
    LONG_DEPTH = 160, /* for 80 bits: LLVM moves long doubles byte by byte through registers */
    LONG_OPERATIONS = 5000,
    FLOAT_MANTISSA = 23,
    DOUBLE_MANTISSA = 52,
    LONG_MANTISSA = 64,
    LONG_BITS = 80
};

typedef enum cc_bit_origin {
    ORIGIN_CONSTANT, /* a constant; `index` is the bit */
    ORIGIN_ROOT,     /* bit `index` of the root's lane */
    ORIGIN_DISCRETE, /* of some value, but not of a number's mantissa. `root`: the number whose bits after its binary
                      * point are cleared; NULL: another origin */
    ORIGIN_SMOOTH,   /* depends on a mantissa in a way that is not understood */
} cc_bit_origin;

typedef struct cc_bit {
    LLVMValueRef root;
    unsigned char origin, index;
    unsigned lane;
} cc_bit;

typedef struct cc_trace {
    cc_unit *unit;
    unsigned slot; /* number of the leaf of `kind` among the leaves of a word */
    verso__native_kind kind;
    bool (*varied)(void *, LLVMValueRef);
    void *context;
    unsigned depth; /* maximum depth of nested operations */
    unsigned *left; /* number of operations that may still be followed; bounds the work, which can grow exponentially */
} cc_trace;

/* Returns whether the leaf concerns one word by itself: that of a float, or that of a doubt. */
static inline bool cc_trace_single(const cc_trace *at) {
    return at->kind == VERSO_NATIVE_FLOAT || at->kind == VERSO_NATIVE_DOUBTED;
}

/* What a word of a number is, if the number is used as an integer. */
typedef enum cc_word_kind {
    WORD_FLOAT, /* a float */
    WORD_LOW,   /* the low half of a double */
    WORD_HIGH,  /* the high half of a double */
    WORD_HALF,  /* half of a double, in an integer of 32 bits: which half is unknown */
    WORD_LONG,  /* a part of a long double */
} cc_word_kind;

/* ---- bits_origin.c ---- */

/* Traces the bits of a lane, at most MOST_BITS. */
void cc_bits_follow(const cc_trace *at, LLVMValueRef value, unsigned lane, unsigned depth, cc_bit *bits);
/* Returns whether a bit depends on a number's mantissa, in a way that is understood or not. */
bool cc_bit_smooth(const cc_trace *at, const cc_bit *bit);
/* Returns whether cc_bit_smooth is true for any of bits[first .. end). */
bool cc_bits_any_smooth(const cc_trace *at, const cc_bit *bits, unsigned first, unsigned end);
/* Of a bit with a root: whether it is in the root's mantissa, and the number of the root's leaf that it is in. */
bool cc_bit_in_mantissa(const cc_trace *at, const cc_bit *bit);
unsigned cc_bit_leaf(const cc_trace *at, const cc_bit *bit);
/* Returns the width in bits of one lane of an integer, a pointer or a vector of them; 0 for other types. */
unsigned cc_bits_width(LLVMTypeRef type);
/* Returns the type of one lane: the element type of a vector, otherwise `type` itself. */
LLVMTypeRef cc_bits_lane_type(LLVMTypeRef type);
/* Returns the number of words of one lane that have leaves; 0 if none have. */
unsigned cc_bits_words(LLVMTypeRef type);
/* Returns the integer constant in a lane; NULL if the lane is not an integer constant. */
LLVMValueRef cc_bits_constant(LLVMValueRef value, unsigned lane);

/* Returns whether `root` is a number converted bit by bit to an integer whose word at `offset` bytes belongs to a float
 * or a double. Then sets *kind to the kind of that word; otherwise *kind is undefined. */
bool cc_word_kind_of_cast(cc_unit *unit, LLVMValueRef root, uint64_t offset, cc_word_kind *kind);
/* Of a bit with a root: returns the kind of the word that contains it, if the root is a number of kind at->kind or was
 * converted from a float or a double. */
cc_word_kind cc_word_kind_of(const cc_trace *at, const cc_bit *bit);

/* ---- bits_linear.c ---- */

/* Returns whether a lane of 32 or 64 bits is a sum of all bits of a root, taken as an integer, times a constant, and
 * of integers that are piecewise constant. */
bool cc_bits_linear(const cc_trace *at, LLVMValueRef value, unsigned lane, cc_bits *found);

#endif
