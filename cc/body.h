/* What the recording passes know about one function. graph.c makes it, active.c and plan.c fill it in, record.c and
 * reverse.c build from it. Everything is numbered: items (parameters, then instructions in order), blocks, loops,
 * segments and slots are indices into the arrays below, -1 is none.
 *
 * A segment is a stretch of a block that holds no call that must itself be reversed: it ends with such a call or with
 * the block. One record on the tape a segment, written before the segment's last instruction. */
#ifndef CC_BODY_H
#define CC_BODY_H

#include "cc/cc.h"
#include "cc/known.h"

typedef struct cc_item {
    LLVMValueRef value;
    LLVMOpcode opcode;    /* 0: a parameter */
    cc_call_kind call;    /* of a call */
    int block, segment;   /* -1: a parameter */
    unsigned leaves;      /* numbers that a value of this type can carry */
    bool varied;          /* may depend on what is differentiated by */
    bool useful;          /* something that may be differentiated may depend on it */
    bool rooted;          /* an integer operation elsewhere goes back to it */
    struct cc_bits *bits; /* of an integer operation that carries: where its leaves come from */
    LLVMValueRef *roots;  /* of one that is not followed: what it goes back to, whoever is told (doubts.h) */
    size_t root_count;
    bool local;    /* active, and all its uses are in its own segment: its adjoint needs no slot */
    int slot;      /* the first of its adjoint slots; -1: none */
    int induction; /* the counted loop in which it goes up by `step` each time; -1: it does not */
    LLVMValueRef step;
    int induction_slot, invariant_slot; /* where the reverse function holds it; -1: nowhere */
    LLVMValueRef *sum;                  /* local: the adjoint so far, leaf by leaf; an entry is NULL for zero */
} cc_item;

/* How the reverse function comes by a value that it needs in a segment. */
typedef enum cc_source {
    CC_SOURCE_UNKNOWN,
    CC_SOURCE_INDUCTION, /* stepped back with its loop */
    CC_SOURCE_INVARIANT, /* recorded once, where its loop was left */
    CC_SOURCE_AGAIN,     /* computed again from its operands */
    CC_SOURCE_TAPE,      /* in this segment's record */
} cc_source;

typedef struct cc_need {
    int item;
    cc_source source;
    int field;          /* of the record */
    LLVMValueRef built; /* reverse: the value, once there */
} cc_need;

typedef enum cc_field_kind {
    CC_FIELD_NEED,        /* a value */
    CC_FIELD_PREDECESSOR, /* which block control came from */
    CC_FIELD_COUNT,       /* of a loop that was left: how often it went back */
    CC_FIELD_SLOT,        /* the last value of an induction variable, or an invariant, of a loop that was left */
    CC_FIELD_CALLEE,      /* the reverse function of a function that was called through a pointer */
} cc_field_kind;

typedef struct cc_field {
    cc_field_kind kind;
    int item, loop, slot;
    LLVMTypeRef type;
    unsigned offset;
} cc_field;

typedef struct cc_segment {
    int block, first, last; /* items; `last` is the one before the call that ends it, or the block's terminator */
    int call;               /* the item that ends it; -1: the block does */
    LLVMValueRef condition; /* of the branch that decides from which of two blocks its block was entered, when it can be
                               computed again; NULL: that is in the record */
    int when_true;          /* the predecessor when it holds: 0 or 1 */
    cc_need *needs;
    size_t need_count, need_capacity;
    cc_map need_of; /* item + 1 as a pointer -> need */
    cc_field *fields;
    size_t field_count, field_capacity;
    unsigned size;              /* of the record */
    uint64_t resume;            /* entry of the reverse function behind the call */
    LLVMBasicBlockRef reversed; /* where its reversal begins */
} cc_segment;

typedef struct cc_block {
    LLVMBasicBlockRef block;
    int first, last; /* items */
    int *predecessors;
    int predecessor_count;
    int *successors;
    int successor_count;
    int first_segment, last_segment;
    int dominator;        /* the immediate one; -1: the entry */
    int order;            /* in reverse postorder */
    int loop;             /* the innermost one; -1 */
    bool safepoint;       /* at its start, behind the phis */
    bool idle;            /* control can come back to the safepoint without having recorded anything */
    int predecessor_slot; /* where the reverse function holds across the safepoint which way led here; -1: none */
} cc_block;

typedef struct cc_loop {
    int header, latch, before, parent, depth;
    bool *contains;                   /* by block */
    bool counted;                     /* one way in, one way back, and whoever leaves arrives in a block of its own */
    bool left;                        /* it has an exit */
    bool brief;                       /* it is certain to record little, and has no safepoint */
    int around;                       /* the loop that takes it in strips (strips.h); -1: none */
    unsigned shift;                   /* then: log2 of the iterations of a strip */
    int again;                        /* of a loop around: the block between two strips; -1: it is none */
    int *inductions, induction_count; /* items whose last values are needed */
    int *invariants, invariant_count; /* items to record where it is left */
    int count_slot;
    LLVMValueRef count; /* record: the counter; from strips.c or record.c */
} cc_loop;

/* A variable of the reverse function that outlives a segment. */
typedef struct cc_slot {
    LLVMTypeRef type;
    bool adjoint; /* else: an induction variable, an invariant, a counter, a predecessor */
    LLVMValueRef address;
} cc_slot;

typedef struct cc_body {
    cc_unit *unit;
    cc_function *function;
    cc_item *items;
    int item_count, parameter_count;
    cc_block *blocks;
    int block_count;
    cc_loop *loops;
    int loop_count;
    cc_segment *segments;
    int segment_count;
    bool calls_itself;
    cc_slot *slots;
    size_t slot_count, slot_capacity;
    int returns;                  /* the block that returns; -1: none */
    const struct liveness *live;  /* live.c */
    int *free_chains, free_block; /* plan.c */
    cc_map item_of, block_of;
} cc_body;

/* graph.c: items, blocks, dominators, loops, induction variables, segments. */
cc_body *cc_body_new(cc_unit *unit, cc_function *function);
/* The number of a parameter or instruction; -1 for constants and whatever else is no item. */
int cc_item_find(const cc_body *body, LLVMValueRef value);
bool cc_dominates(const cc_body *body, int above, int block);
/* Whether what is in the block is done again and again: it is in a loop, or the function calls itself. */
bool cc_repeats(const cc_body *body, int block);
/* Operands without the callee of a call. */
unsigned cc_operand_count(LLVMValueRef instruction);
/* What a phi takes when control comes from `from`; NULL when it cannot. */
LLVMValueRef cc_incoming(LLVMValueRef phi, LLVMBasicBlockRef from);
/* An item's adjoint exists. */
bool cc_active(const cc_body *body, LLVMValueRef value);
bool cc_varied(const cc_body *body, LLVMValueRef value);

#endif
