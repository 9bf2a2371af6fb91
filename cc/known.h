/* What every call in a differentiated function is, to the passes that differentiate. One answer for recording and
 * tangent mode, from one table of C library functions. */
#ifndef CC_KNOWN_H
#define CC_KNOWN_H

#include "cc/cc.h"

typedef enum cc_call_kind {
    CC_CALL_FOLLOWED,   /* a differentiated function that is not inert, or a call through a pointer */
    CC_CALL_RULE,       /* a mathematical function: rules.h */
    CC_CALL_COPY,       /* (destination, source, size): memcpy, memmove and their intrinsics */
    CC_CALL_CLEAR,      /* (destination, value, size): memset and its intrinsics */
    CC_CALL_WRITTEN,    /* the marker verso.written(data, size) that lower_library.c leaves after a library call that wrote */
    CC_CALL_ALLOCATE,   /* returns fresh memory: cc_call_allocated tells how much */
    CC_CALL_REALLOCATE, /* (old, size) */
    CC_CALL_FREE,
    CC_CALL_CUSTOM,     /* has a custom adjoint: the marker that lower_custom.c leaves */
    CC_CALL_PASS,       /* called as it is; no derivative comes out of it */
} cc_call_kind;

/* What lowering leaves in the copies, told by the callee's name:
 *   verso.written(data, size)   CC_CALL_WRITTEN
 *   verso.custom.f(A...)        CC_CALL_CUSTOM: stands for a call of f in the one differentiated function that does nothing
 *                               else, f.record (f.tangent); every other call of f is a followed call of that function. No
 *                               such function exists: the pass puts calls of what cc_custom_find gives in its place, with
 *                               state.mode set to VERSO_NATIVE_PRIMAL for their duration
 *   verso.pass.NAME(...)        CC_CALL_PASS, whatever its arguments are */
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
/* CC_CALL_ALLOCATE: builds the number of bytes, at the builder. `operand(context, i)` gives the call's i-th argument there:
 * the same value while recording, one that was kept when reversing. */
LLVMValueRef cc_call_allocated(cc_unit *unit, LLVMValueRef call, LLVMValueRef (*operand)(void *, unsigned), void *context);
/* Bit i: cc_call_allocated asks for operand i. */
unsigned cc_call_allocated_operands(LLVMValueRef call);

/* ---- The table, for reach.c and lower_library.c ---- */

typedef enum cc_known_class {
    CC_KNOWN_NOT,      /* nobody knows it: refused, with the three remedies */
    CC_KNOWN_RULE,     /* math with a rule */
    CC_KNOWN_LIBRARY,  /* lib/ has a version that is differentiated: verso_lib_NAME */
    CC_KNOWN_MEMORY,   /* memcpy, memset, malloc, ... : one of the kinds above */
    CC_KNOWN_READS,    /* reads memory and returns no derivative: strlen, printf, fputs, atoi ... */
    CC_KNOWN_WRITES,   /* writes memory, how much is described in the table: fread, snprintf, strcpy ... */
    CC_KNOWN_JUMP,     /* setjmp and its kin */
    CC_KNOWN_THREAD,   /* pthread_create, __kmpc_fork_call, ...: refused, with a message of its own */
} cc_known_class;

typedef struct cc_known {
    const char *name;
    cc_known_class class;
    /* CC_KNOWN_WRITES: what is written. Two letters an area, up to three areas: the argument ('0'..'9'; 'r' for where the
     * result points), then how many bytes: '0'..'9' the value of that argument; 'x' the product of arguments 1 and 2 (fread);
     * 's' a string, to its NUL; 'f' what the scanf format that comes before the variadic arguments says;
     * 'd' 'i' 'l' 'p' one double, int, long, pointer; 'q' nothing (NULL allowed). */
    const char *writes;
} cc_known;

/* Intrinsics ("llvm.…") too. Never NULL: an unknown name has class CC_KNOWN_NOT. */
cc_known cc_known_find(const char *name);

#endif
