/* Which values carry derivatives, over all functions at once.
 *
 * A value is varied when it may depend on a number in memory (what is differentiated by is memory; every load of a
 * number counts), and useful when a number in memory or the result of a function called from outside may depend on it.
 * Only what is both has an adjoint. Parameters and results are followed through direct calls; a function whose address
 * is taken must expect everything. */
#ifndef CC_ACTIVE_H
#define CC_ACTIVE_H

#include "cc/body.h"

typedef struct cc_flow {
    cc_body *body;
    bool *parameter_varied, *parameter_useful;
    bool result_varied, result_useful;
} cc_flow;

/* Requires known inert functions; makes the bodies of all others (strips.h) and sets varied and useful of all items. */
void cc_find_active(cc_unit *unit);
/* inert.c: sets `inert` of all functions in which nothing concerns derivatives. */
void cc_find_inert(cc_unit *unit);

/* cc_varied, for bits.h. */
bool cc_varied_in(void *body, LLVMValueRef value);

/* What a store does to the cells of its address, if anything. */
typedef enum cc_store_effect {
    CC_STORE_NOTHING, /* an integer or a pointer that is one */
    CC_STORE_MOVES,   /* numbers, or bits that may be numbers */
    CC_STORE_CLEARS,  /* an integer that was no number: constants, integer arithmetic */
    CC_STORE_OPAQUE,  /* a byte or two that are no copy: what they are part of must have no derivative */
} cc_store_effect;
cc_store_effect cc_store_effect_of(const cc_body *body, LLVMValueRef store);

/* For each leaf of a bitcast or freeze the leaf of its operand that it is, or -1. False: it carries nothing. */
enum { CC_MOVED_MOST = 256 };
bool cc_moved_leaves(cc_unit *unit, LLVMValueRef instruction, int from[CC_MOVED_MOST]);

/* Whether it is a call that gives one of its two operands: llvm.umax and its kin, of scalars. */
bool cc_chooses(LLVMValueRef value);

/* Whether the i-th parameter (the result) of a followed call has an adjoint on the other side, too. */
bool cc_argument_crosses(const cc_body *body, LLVMValueRef call, unsigned index);
bool cc_result_crosses(const cc_body *body, LLVMValueRef call);

#endif
