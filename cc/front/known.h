/* Classifies every call in a differentiated function for the passes that differentiate. Recording and tangent mode
 * use the same classification, which comes from one table of C library functions. */
#ifndef CC_KNOWN_H
#define CC_KNOWN_H

#include "cc/front/known_table.h"
#include "cc/ir/unit.h"

typedef enum cc_call_kind {
    CC_CALL_FOLLOWED, /* of a differentiated function that is not inert, or through a pointer */
    CC_CALL_RULE,     /* of a mathematical function with a rule: rules.h */
    CC_CALL_COPY,     /* (destination, source, size): memcpy, memmove and their intrinsics */
    CC_CALL_CLEAR,    /* (destination, value, size): memset and its intrinsics */
    CC_CALL_WRITTEN,  /* the marker verso.written(data, size) that lower/written.c leaves after a call that wrote */
    CC_CALL_CHANGED,  /* the marker verso.changed(noted) that lower/passing.c leaves after a foreign call */
    CC_CALL_ALLOCATE, /* returns fresh memory: cc_call_allocated builds its size */
    CC_CALL_FREE,
    CC_CALL_CUSTOM, /* the marker verso.custom.f(...) that lower/copy.c leaves for a function with a custom adjoint */
    CC_CALL_PASS,   /* called unchanged; no derivative comes out of it */
} cc_call_kind;

/* The names of functions that lowerings call in the copies:
 *
 *   verso.written(data, size)   CC_CALL_WRITTEN
 *   verso.changed(noted)        CC_CALL_CHANGED; `noted` is the value of state.noted after the call
 *   verso.custom.f(A...)        CC_CALL_CUSTOM; stands for a call of f in the only differentiated function that has
 *                               one, f.record (f.tangent). All other calls of f are followed calls of that function.
 *                               The marker has no body: the pass replaces it by calls of the functions that
 *                               cc_custom_find returns, and sets state.mode to VERSO_NATIVE_PRIMAL while they run
 *   verso.pass.NAME(...)        CC_CALL_PASS, whatever its arguments are */
typedef struct cc_custom {
    LLVMValueRef function; /* f; like the others, in the current module */
    LLVMValueRef record;   /* R (verso_call *, A...) */
    LLVMValueRef sweep;    /* void (verso_call *, A...) */
    LLVMValueRef tangent;  /* R (verso_call *, A...); NULL: there is none */
} cc_custom;
/* Returns the functions of the custom adjoint that `call`, of kind CC_CALL_CUSTOM, stands for. */
cc_custom cc_custom_find(cc_unit *unit, LLVMValueRef call);

/* Returns the kind of `call`, a call instruction in a lowered function. */
cc_call_kind cc_call_kind_of(const cc_unit *unit, LLVMValueRef call);
/* Builds the number of bytes that `call`, of kind CC_CALL_ALLOCATE, allocates. operand(context, i) must return the
 * value of the call's i-th argument at the builder: while recording the argument itself, in the reverse function a
 * value that was kept. */
LLVMValueRef cc_call_allocated(cc_unit *unit, LLVMValueRef call, LLVMValueRef (*operand)(void *, unsigned),
                               void *context);
/* Returns the arguments that cc_call_allocated asks for: bit i stands for argument i. */
unsigned cc_call_allocated_operands(LLVMValueRef call);

/* ---- The table ---- */

/* Returns what is known about the function with this name. Unlike cc_known_in_table, also finds functions with
 * rules, intrinsics ("llvm.…"), families of functions with a common prefix, and names with the version prefixes of
 * glibc. An unknown name has class CC_KNOWN_NOT. */
cc_known cc_known_find(const char *name);
/* Returns the name without glibc's version prefix: "sscanf" for "__isoc99_sscanf". */
const char *cc_without_version(const char *name);

#endif
