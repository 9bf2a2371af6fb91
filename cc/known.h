/* What every call in a differentiated function is, to the passes that differentiate. One answer for recording and
 * tangent mode, from one table of C library functions. */
#ifndef CC_KNOWN_H
#define CC_KNOWN_H

#include "cc/cc.h"
#include "cc/known_table.h"

typedef enum cc_call_kind {
    CC_CALL_FOLLOWED, /* a differentiated function that is not inert, or a call through a pointer */
    CC_CALL_RULE,     /* a mathematical function: rules.h */
    CC_CALL_COPY,     /* (destination, source, size): memcpy, memmove and their intrinsics */
    CC_CALL_CLEAR,    /* (destination, value, size): memset and its intrinsics */
    CC_CALL_WRITTEN, /* the marker verso.written(data, size) that lower_library.c leaves after a library call that wrote
                      */
    CC_CALL_CHANGED, /* the marker verso.changed(data, bits) that lower_passing.c leaves after a foreign call */
    CC_CALL_ALLOCATE, /* returns fresh memory: cc_call_allocated tells how much */
    CC_CALL_FREE,
    CC_CALL_CUSTOM, /* has a custom adjoint: the marker that lower_custom.c leaves */
    CC_CALL_PASS,   /* called as it is; no derivative comes out of it */
} cc_call_kind;

/* What lowering leaves in the copies, told by the callee's name:
 *   verso.written(data, size)   CC_CALL_WRITTEN
 *   verso.changed(data, bits)   CC_CALL_CHANGED: bits as verso_native_changed gives them
 *   verso.custom.f(A...)        CC_CALL_CUSTOM: stands for a call of f in the one differentiated function that does
 * nothing else, f.record (f.tangent); every other call of f is a followed call of that function. No such function
 * exists: the pass puts calls of what cc_custom_find gives in its place, with state.mode set to VERSO_NATIVE_PRIMAL for
 * their duration verso.pass.NAME(...)        CC_CALL_PASS, whatever its arguments are */
typedef struct cc_custom {
    LLVMValueRef function; /* f, in the module at hand like the others */
    LLVMValueRef record;   /* R (verso_call *, A...) */
    LLVMValueRef sweep;    /* void (verso_call *, A...) */
    LLVMValueRef tangent;  /* R (verso_call *, A...); NULL: there is none */
} cc_custom;
/* `call` is of kind CC_CALL_CUSTOM. */
cc_custom cc_custom_find(cc_unit *unit, LLVMValueRef call);

/* `call` is a call instruction in a lowered function. */
cc_call_kind cc_call_kind_of(const cc_unit *unit, LLVMValueRef call);
/* CC_CALL_ALLOCATE: builds the number of bytes, at the builder. `operand(context, i)` gives the call's i-th argument
 * there: the same value while recording, one that was kept when reversing. */
LLVMValueRef cc_call_allocated(cc_unit *unit, LLVMValueRef call, LLVMValueRef (*operand)(void *, unsigned),
                               void *context);
/* Bit i: cc_call_allocated asks for operand i. */
unsigned cc_call_allocated_operands(LLVMValueRef call);

/* ---- The table, for reach.c and lower_library.c ---- */

/* Rules and intrinsics ("llvm.…") too, and the prefixes that fortified and dated functions have. An unknown name has
 * class CC_KNOWN_NOT. */
cc_known cc_known_find(const char *name);
/* "__isoc99_sscanf" is sscanf. */
const char *cc_without_date(const char *name);

#endif
