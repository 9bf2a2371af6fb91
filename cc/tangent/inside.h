/* What the files of room `tangent` share. */
#ifndef CC_TANGENT_H
#define CC_TANGENT_H

#include "cc/ir/unit.h"

/* A parameter or an instruction. Its tangent is one double per leaf. */
typedef struct cc_tangent_value {
    LLVMValueRef value;
    unsigned leaves; /* number of leaves */
    bool varied;     /* its tangent may differ from zero */
    bool needed;     /* its tangent is used, or, of an integer operation, that of the values that its bits come from */
    bool asked;      /* its own tangent is used */
    LLVMValueRef *leaf; /* its tangent, if it is active; built before its first use */
} cc_tangent_value;

/* A function that is being transformed. */
typedef struct cc_tangent {
    cc_unit *unit;
    cc_function *function;
    LLVMBasicBlockRef *blocks; /* its reachable blocks; each comes after those that dominate it */
    size_t block_count;
    cc_tangent_value *values;
    size_t count, capacity; /* of `values` */
    cc_map index;           /* value -> index in `values` */
    LLVMValueRef zero;      /* the constant 0.0 */
} cc_tangent;

/* ---- active.c ---- */

/* Fills in `blocks` and `values`, and finds out which values have tangents. */
void cc_tangent_collect(cc_tangent *tangent);
/* Returns the entry of a parameter or instruction; NULL for a constant. */
cc_tangent_value *cc_tangent_find(const cc_tangent *tangent, LLVMValueRef value);
bool cc_tangent_varied(const cc_tangent *tangent, LLVMValueRef value);
/* cc_tangent_varied, with the type that types/bits.h requires; `tangent` is a cc_tangent. */
bool cc_tangent_varied_in(void *tangent, LLVMValueRef value);
/* Returns whether the value is active: it is varied and its own tangent is used. */
bool cc_tangent_active(const cc_tangent *tangent, LLVMValueRef value);
/* As cc_leaf_count, except that integers of odd widths (24, 80 bits) have one leaf. It differs from zero if the
 * integer is bits of a number that has a derivative; its value has no other meaning. It is never passed across a
 * call. */
unsigned cc_tangent_leaves(cc_unit *unit, LLVMTypeRef type);
/* Returns whether `value` is a call of llvm.umax or a similar intrinsic, which returns one of its two operands. */
bool cc_tangent_chooses(LLVMValueRef value);

/* ---- tangent.c ---- */

/* Returns a leaf of the tangent of a value; the constant zero if the value has none. */
LLVMValueRef cc_tangent_leaf(const cc_tangent *tangent, LLVMValueRef value, unsigned leaf);
/* Builds code that refuses at run time if the derivative is not zero, with the place and the sentence `why`. */
void cc_tangent_report_lost(cc_tangent *tangent, LLVMValueRef place, LLVMValueRef derivative, const char *why);
/* Adds the string "file.c:12: why" to the module, and returns its address. */
LLVMValueRef cc_tangent_message(cc_tangent *tangent, LLVMValueRef place, const char *why);
/* Returns the tangent of bytes that are a part, but not the first bytes, of a number that has a tangent: a NaN that
 * is used for nothing else. It is copied with the bytes, and shows what they are when they are used for something
 * other than a copy. */
LLVMValueRef cc_tangent_part(cc_tangent *tangent);
/* Builds zero if `value` is that NaN, else `value`. */
LLVMValueRef cc_tangent_unless_part(cc_tangent *tangent, LLVMValueRef value);
/* Builds |x|. */
LLVMValueRef cc_tangent_magnitude(cc_tangent *tangent, LLVMValueRef x);
/* Erases an instruction and replaces its uses by `by`, which may be NULL if it has none. */
void cc_tangent_replace(cc_tangent *tangent, LLVMValueRef instruction, LLVMValueRef by);
/* Move the builder before or after an instruction. */
void cc_tangent_before(cc_tangent *tangent, LLVMValueRef instruction);
void cc_tangent_after(cc_tangent *tangent, LLVMValueRef instruction);

/* ---- memory.c: instructions that concern cells ---- */

void cc_tangent_load(cc_tangent *tangent, cc_tangent_value *load);
void cc_tangent_store(cc_tangent *tangent, LLVMValueRef store);
void cc_tangent_alloca(cc_tangent *tangent, LLVMValueRef variable);
void cc_tangent_exchange(cc_tangent *tangent, cc_tangent_value *exchange); /* cmpxchg */
void cc_tangent_update(cc_tangent *tangent, cc_tangent_value *update);     /* atomicrmw */
/* Handles calls of the kinds CC_CALL_COPY, CLEAR, WRITTEN, CHANGED and ALLOCATE. Erases the markers WRITTEN and
 * CHANGED. */
void cc_tangent_memory_call(cc_tangent *tangent, LLVMValueRef call);

/* ---- calls.c: calls between functions ---- */

void cc_tangent_entry(cc_tangent *tangent);                       /* the start of the function */
void cc_tangent_return(cc_tangent *tangent, LLVMValueRef end);    /* a return instruction */
void cc_tangent_followed(cc_tangent *tangent, LLVMValueRef call); /* a call of kind CC_CALL_FOLLOWED */
void cc_tangent_custom(cc_tangent *tangent, LLVMValueRef call);   /* a call of kind CC_CALL_CUSTOM */

#endif
