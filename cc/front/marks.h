/* Recognises functions and intrinsics by name that later rooms lower. */
#ifndef CC_FRONT_MARKS_H
#define CC_FRONT_MARKS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* The functions that mark the ends of a fragment (lower/fragment.c). They do nothing. */
#define CC_FRAGMENT_BEGIN "verso_fragment_begin"
#define CC_FRAGMENT_END "verso_fragment_end"
/* Returns whether `callee` is one of these two. */
bool cc_is_fragment_mark(LLVMValueRef callee);

/* The operation of an intrinsic llvm.vector.reduce.*, which lower/reductions.c lowers. */
typedef enum cc_reduction {
    CC_REDUCTION_NOT,
    CC_REDUCTION_SUM,
    CC_REDUCTION_PRODUCT,
    CC_REDUCTION_MOST,    /* fmax: a NaN has no influence */
    CC_REDUCTION_LEAST,   /* fmin */
    CC_REDUCTION_MAXIMUM, /* fmaximum: a NaN is the result */
    CC_REDUCTION_MINIMUM,
} cc_reduction;
cc_reduction cc_reduction_of(const char *name);

/* The operation of an intrinsic llvm.masked.*, which lower/masked.c lowers. */
typedef enum cc_masked {
    CC_MASKED_NOT,
    CC_MASKED_LOAD,
    CC_MASKED_STORE,
    CC_MASKED_GATHER,
    CC_MASKED_SCATTER,
    CC_MASKED_EXPAND,
    CC_MASKED_COMPRESS,
} cc_masked;
cc_masked cc_masked_of(const char *name);

#endif
