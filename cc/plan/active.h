/* Activity analysis: which values carry derivatives, over all functions together.
 *
 * A value is varied if it may depend on an independent variable. These are in memory, so every number that is loaded
 * counts, except from a memory (ir/tags.h) in which only numbers are stored that are not varied, such as a table of
 * constants: cells there are not used. A value is useful if a number in memory, or the result of a function that is
 * called from outside, may depend on it. Only values that are both (active values) have adjoints. The analysis follows
 * parameters and results through direct calls; for a function whose address is taken it assumes that all are varied and
 * useful. */
#ifndef CC_ACTIVE_H
#define CC_ACTIVE_H

#include "cc/plan/body.h"

/* The result of the analysis for one function. */
typedef struct cc_flow {
    cc_body *body;
    bool *parameter_varied, *parameter_useful; /* for each parameter */
    bool *parameter_written; /* for each parameter: whether the function writes through it, as far as that shows */
    bool *parameter_lasting; /* for each parameter: it is probably the same in several calls, and what it leads to */
    bool result_varied, result_useful;
    bool repeated; /* the function probably runs several times */
} cc_flow;

/* Makes the bodies of all functions that are not inert (inert.c), and sets `varied` and `useful` of all their
 * items. Requires cc_find_inert. */
void cc_find_active(cc_unit *unit);
/* inert.c: sets `inert` of all functions that do not concern derivatives. */
void cc_find_inert(cc_unit *unit);

/* cc_is_varied, with the type that types/bits.h requires; `body` is a cc_body. */
bool cc_is_varied_in(void *body, LLVMValueRef value);

/* What a store does to the cells at its address. */
typedef enum cc_store_effect {
    CC_STORE_NOTHING, /* nothing: it stores an integer or pointer that is certainly not the bits of a number, or a
                         number where none is varied */
    CC_STORE_MOVES,   /* moves cells: it stores numbers, or bits that may be numbers */
    CC_STORE_CLEARS,  /* clears cells: it stores an integer that is not a copy of a number (a constant, arithmetic) */
    CC_STORE_OPAQUE,  /* stores one or two bytes that are no copy: the number that they are part of must not have a
                         derivative */
    CC_STORE_DOUBTS,  /* as OPAQUE, but computed from what may be the bits of a number: doubts (doubts.h) go there */
} cc_store_effect;
cc_store_effect cc_store_effect_of(const cc_body *body, LLVMValueRef store);

/* For a bitcast or freeze, sets from[i] to the leaf of the operand that is leaf i of the result, or to -1. Returns
 * false if the instruction is another one, has no leaves, or has more than CC_MOVED_MOST. */
enum { CC_MOVED_MOST = 256 };
bool cc_moved_leaves(cc_unit *unit, LLVMValueRef instruction, int from[CC_MOVED_MOST]);

/* Returns whether `value` is a call that returns one of its two operands: llvm.umax and similar intrinsics on
 * scalars. */
bool cc_chooses(LLVMValueRef value);

/* Return whether an argument (the result) of a followed call has an adjoint both in the caller and in the callee. */
bool cc_argument_crosses(const cc_body *body, LLVMValueRef call, unsigned index);
bool cc_result_crosses(const cc_body *body, LLVMValueRef call);

#endif
