/* Tangent code, function by function: what the files tangent_*.c share. See tangent.c. */
#ifndef CC_TANGENT_H
#define CC_TANGENT_H

#include "cc/cc.h"

/* A parameter or an instruction. Its tangent is a double for each leaf. */
typedef struct cc_tangent_value {
    LLVMValueRef value;
    unsigned leaves;
    bool varied; /* its tangent may be other than zero */
    bool needed; /* somebody asks for its tangent, or, of an integer operation, for what its bits are traced back to */
    bool asked;  /* for its own tangent */
    LLVMValueRef *leaf; /* the tangent, when there is one; built before it is asked for */
} cc_tangent_value;

typedef struct cc_tangent {
    cc_unit *unit;
    cc_function *function;
    LLVMBasicBlockRef *blocks; /* a block comes after those that dominate it; what cannot be reached is not there */
    size_t block_count;
    cc_tangent_value *values;
    size_t count, capacity;
    cc_map index;
    LLVMValueRef zero;
} cc_tangent;

/* ---- tangent_active.c ---- */

/* Finds all values of the function and which of them have tangents. */
void cc_tangent_collect(cc_tangent *tangent);
/* NULL for a constant. */
cc_tangent_value *cc_tangent_find(const cc_tangent *tangent, LLVMValueRef value);
bool cc_tangent_varied(const cc_tangent *tangent, LLVMValueRef value);
bool cc_tangent_varied_in(void *tangent, LLVMValueRef value); /* for bits.h */
/* Whether it has a tangent of its own: varied, and asked for. */
bool cc_tangent_active(const cc_tangent *tangent, LLVMValueRef value);
/* As cc_leaf_count; but integers of odd widths (24, 80 bits) have one, which says whether they are bits of a number
 * that has a derivative (its value means nothing). It never crosses a call. */
unsigned cc_tangent_leaves(cc_unit *unit, LLVMTypeRef type);
/* llvm.umax and its kin: gives one of its two operands. */
bool cc_tangent_chooses(LLVMValueRef value);

/* ---- tangent.c ---- */

/* A leaf of the tangent; zero for what has none. */
LLVMValueRef cc_tangent_leaf(const cc_tangent *tangent, LLVMValueRef value, unsigned leaf);
/* At run time: refuses when the derivative is not zero. `why` is a sentence about the place. */
void cc_tangent_lose(cc_tangent *tangent, LLVMValueRef place, LLVMValueRef derivative, const char *why);
/* "file.c:12: why" as a string in the program. */
LLVMValueRef cc_tangent_message(cc_tangent *tangent, LLVMValueRef place, const char *why);
/* |x| */
/* The tangent of bytes that are a part of a number that has one, but not its first: a NaN that nobody else has. It
 * travels with them, and tells what they are when something else than a copy is made of them. */
LLVMValueRef cc_tangent_part(cc_tangent *tangent);
/* Zero instead of that. */
LLVMValueRef cc_tangent_unless_part(cc_tangent *tangent, LLVMValueRef value);
LLVMValueRef cc_tangent_magnitude(cc_tangent *tangent, LLVMValueRef x);
/* The instruction goes away; `by`, which may be NULL, stands for it. */
void cc_tangent_replace(cc_tangent *tangent, LLVMValueRef instruction, LLVMValueRef by);
void cc_tangent_before(cc_tangent *tangent, LLVMValueRef instruction);
void cc_tangent_after(cc_tangent *tangent, LLVMValueRef instruction);

/* ---- tangent_memory.c: loads, stores and what else concerns cells ---- */

void cc_tangent_load(cc_tangent *tangent, cc_tangent_value *load);
void cc_tangent_store(cc_tangent *tangent, LLVMValueRef store);
void cc_tangent_alloca(cc_tangent *tangent, LLVMValueRef variable);
void cc_tangent_exchange(cc_tangent *tangent, cc_tangent_value *exchange); /* cmpxchg */
void cc_tangent_update(cc_tangent *tangent, cc_tangent_value *update);     /* atomicrmw */
/* Calls of the kinds COPY, CLEAR, WRITTEN, CHANGED and ALLOCATE. WRITTEN and CHANGED go away. */
void cc_tangent_memory_call(cc_tangent *tangent, LLVMValueRef call);

/* ---- tangent_calls.c: calls between functions ---- */

void cc_tangent_entry(cc_tangent *tangent);
void cc_tangent_return(cc_tangent *tangent, LLVMValueRef end);
void cc_tangent_followed(cc_tangent *tangent, LLVMValueRef call);
void cc_tangent_custom(cc_tangent *tangent, LLVMValueRef call);

#endif
