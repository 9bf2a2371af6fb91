/* The processor's intrinsics (llvm.x86.*): one table of what each computes. clang emits them for those functions of
 * <immintrin.h> that LLVM has no instruction for: minimum and maximum, horizontal sums, masked loads ...
 * lower/machine.c replaces them by LLVM instructions that compute the same bits and can be differentiated. */
#ifndef CC_MACHINE_H
#define CC_MACHINE_H

#include "cc/ir/unit.h"

typedef enum cc_machine_operation {
    CC_MACHINE_NOT, /* unknown: refused, unless it computes integers from integers */
    CC_MACHINE_ADD,
    CC_MACHINE_SUB,
    CC_MACHINE_MUL,
    CC_MACHINE_DIV,
    CC_MACHINE_MIN, /* the second operand if they are equal or one is a NaN */
    CC_MACHINE_MAX,
    CC_MACHINE_SQRT,
    CC_MACHINE_FMA,
    CC_MACHINE_FMADDSUB,
    CC_MACHINE_HADD,
    CC_MACHINE_HSUB,
    CC_MACHINE_ADDSUB,
    CC_MACHINE_DOT,
    CC_MACHINE_BLEND,
    CC_MACHINE_PERMUTE_LANE, /* within 128 bits, by a vector of indices */
    CC_MACHINE_PERMUTE,
    CC_MACHINE_PERMUTE_TWO,
    CC_MACHINE_COMPARE, /* a lane of the result is all ones or all zeros */
    CC_MACHINE_CONVERT, /* between float and double */
    CC_MACHINE_INSERT,
    CC_MACHINE_RECIPROCAL, /* an approximation */
    CC_MACHINE_RECIPROCAL_SQRT,
    CC_MACHINE_FLAT, /* the derivative is zero: rounding, exponents, conversions of integers to numbers */
    CC_MACHINE_MANTISSA,
    CC_MACHINE_SCALE,
    CC_MACHINE_REDUCE,
    CC_MACHINE_LOAD, /* masked; lower/masked.c lowers this and the following ones */
    CC_MACHINE_STORE,
    CC_MACHINE_GATHER,
    CC_MACHINE_SCATTER,
    CC_MACHINE_COMPRESS,
    CC_MACHINE_EXPAND,
    CC_MACHINE_LOAD_ALL,
    CC_MACHINE_DISCRETE, /* computes integers from numbers: comparisons, signs, nearest integers */
} cc_machine_operation;

typedef struct cc_machine {
    cc_machine_operation operation;
    bool scalar; /* only lane 0 is computed; the other lanes are those of operand a */
    /* The meaning of each operand, one letter each; the call may have fewer operands:
     *   a b c   numbers
     *   i       an immediate value
     *   k       the mask
     *   s       the values of lanes that the mask excludes; without s these are zero
     *   r       the rounding mode
     *   p       an address
     *   x       indices, or integers that are converted to numbers
     *   n       a factor (the scale of indices) */
    const char *shape;
} cc_machine;

bool cc_is_machine_intrinsic(const char *name); /* returns whether `name` is that of an intrinsic of the processor */
cc_machine cc_machine_of(LLVMValueRef call);
/* Returns the operand of `call` that `letter` of the shape stands for; NULL if it has none. */
LLVMValueRef cc_machine_operand(const cc_machine *machine, LLVMValueRef call, char letter);
/* Returns a message that tells a C programmer why a call of an intrinsic, of the processor or of LLVM, cannot be
 * differentiated. */
const char *cc_say_intrinsic(cc_unit *unit, const char *caller, const char *name);

#endif
