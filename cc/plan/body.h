/* The data of one function that the recording passes share. graph.c makes it, active.c and plan.c fill it in,
 * reverse/record.c and reverse/reverse.c build code from it. Everything is numbered: items (parameters, then
 * instructions in order), blocks, loops, segments and slots are indices into the arrays below; -1 means none.
 * segment.h describes segments and their records. */
#ifndef CC_BODY_H
#define CC_BODY_H

#include "cc/front/known.h"
#include "cc/ir/unit.h"
#include "cc/plan/segment.h"

/* A parameter or an instruction. */
typedef struct cc_item {
    LLVMValueRef value;
    LLVMOpcode opcode;    /* 0: a parameter */
    cc_call_kind call;    /* kind of the call, if it is one */
    int block, segment;   /* numbers of the block and the segment that contain it; -1: a parameter */
    unsigned leaves;      /* number of leaves of its type (ir/leaves.h) */
    bool varied;          /* may depend on a number in memory: see active.h */
    bool useful;          /* a number in memory or a result may depend on it: see active.h */
    bool rooted;          /* an integer operation elsewhere is traced back to it */
    struct cc_bits *bits; /* of an integer operation: where each of its leaves comes from; NULL: not traced */
    LLVMValueRef *roots;  /* of an integer operation that is not followed: the values that get its doubts (doubts.h) */
    size_t root_count;
    const struct cc_choice *choice; /* while its segment is reversed: see reverse/sweep_chosen.c */
    bool local;                     /* active, and all its uses are in its own segment: its adjoint needs no slot */
    int slot;                       /* the first of its adjoint slots; -1: none */
    int induction;                  /* the counted loop in which it is an induction variable; -1: none */
    LLVMValueRef step;  /* constant that an induction variable grows by in each iteration (of a pointer, in bytes) */
    int recurrence;     /* the counted loop in whose header it is a phi to which iterations add a free amount that is
                           not a constant (recurrences.c); -1: none */
    int induction_slot; /* slot with its value as an induction variable or recurrence; -1: none */
    bool from_start;    /* the last value of an induction variable is computed from its start and the count */
    int invariant_slot; /* slot with its value as a loop invariant; -1: none */
    int deferred;  /* of a load that is in a range: the outermost loop in which its address stays the same; its cell
                           gets the sum over all iterations where the loop is entered. -1: none */
    int range;     /* of a load: the range that contains what it reads (ranges.h); of a store: the one in which it may
                          write; -1: none */
    int roll;      /* of a load: the group whose cells get rolling sums (rolling.h); -1: none */
    int64_t steps; /* its place in the group */
    LLVMValueRef *sum; /* if local: the sum of its adjoint so far, for each leaf; NULL means zero */
} cc_item;

typedef struct cc_block {
    LLVMBasicBlockRef block;
    int first, last; /* its items */
    int *predecessors;
    int predecessor_count;
    int *successors;
    int successor_count;
    int first_segment, last_segment;
    int dominator;        /* its immediate dominator; -1: none (the entry, or unreachable) */
    int order;            /* position in reverse postorder; -1: unreachable */
    int loop;             /* innermost loop that contains it; -1: none */
    bool safepoint;       /* it has a safepoint, after its phis */
    bool idle;            /* control can come back to the safepoint without having recorded anything */
    int reversal;         /* where the reversal goes on if the run has left this block: here, or at a block before it,
                             because nothing between them is to be reversed (shortcuts.c) */
    int predecessor_slot; /* slot that preserves the predecessor's number across the safepoint; -1: none */
} cc_block;

typedef struct cc_loop {
    int header, latch;   /* first block; block with the back edge */
    int before;          /* block outside the loop that leads to the header */
    int parent;          /* innermost loop around it; -1: none */
    int depth;           /* number of loops around it */
    bool *contains;      /* for each block, whether the loop contains it */
    bool counted;        /* has one entry and one back edge, and blocks after an exit are entered only from the loop */
    bool left;           /* it has an exit */
    bool brief;          /* certainly records little, so it has no safepoint */
    int around;          /* the loop around its strips (strips.h); -1: it is not divided into strips */
    unsigned shift;      /* log2 of the number of iterations of a strip */
    int again;           /* of a loop around strips: the block between two strips; -1: it is not one */
    int *inductions;     /* items whose last values are needed */
    int induction_count; /* number of `inductions` */
    int *invariants;     /* items to record where the loop is left */
    int invariant_count; /* number of `invariants` */
    bool follows;        /* its count can be computed where it is left (counts.h) */
    int count_slot;      /* slot of its counter in the reverse function; -1: none */
    unsigned grain;      /* records in it, but not in inner loops, are at multiples of this: 1, 2, 4 or 8 (records.h) */
    LLVMValueRef count;  /* its counter in the recording function, from strips.c or record.c */
} cc_loop;

/* A variable of the reverse function that outlives a segment. */
typedef struct cc_slot {
    LLVMTypeRef type;
    bool adjoint;         /* an adjoint; else an induction variable, an invariant, a counter or a predecessor */
    LLVMValueRef address; /* its address in the reverse function */
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
    bool quick;  /* it mainly calls others and hardly computes with numbers (reverse/single.h) */
    bool single; /* one copy of its code records and advances (reverse/single.h) */
    cc_slot *slots;
    size_t slot_count, slot_capacity;
    int returns;                 /* the block that returns; -1: none */
    const struct liveness *live; /* data of live.c */
    int *free_chains;            /* data of plan.c */
    int free_block;              /* data of plan.c */
    struct cc_ranges *ranges;    /* see ranges.h */
    struct cc_roll *rolls;       /* see rolling.h */
    int roll_count;
    cc_map item_of;  /* value -> item */
    cc_map block_of; /* LLVM's block -> block */
} cc_body;

/* Makes the body of a function: items, blocks, dominators, loops, induction variables and segments. */
cc_body *cc_body_new(cc_unit *unit, cc_function *function);
/* Returns the item of a parameter or instruction; -1 for constants and all other values. */
int cc_item_find(const cc_body *body, LLVMValueRef value);
/* Returns whether every path from the entry to `block` passes `above`; true if they are the same. */
bool cc_dominates(const cc_body *body, int above, int block);
/* Returns whether control that took the branch from `from` to `to` can reach `join` only through its predecessor
 * `through`. */
bool cc_leads_through(const cc_body *body, int from, int to, int join, int through);
/* Returns whether time in the block matters: it may run many times per run, because it is in a loop or the function is
 * recursive, and the function is not quick. */
bool cc_repeats(const cc_body *body, int block);
/* Returns the value that a phi takes if control comes from block `from`; NULL if it cannot. */
LLVMValueRef cc_incoming(LLVMValueRef phi, LLVMBasicBlockRef from);
/* Return whether the value has an adjoint, and whether it is varied (active.h). */
bool cc_is_active(const cc_body *body, LLVMValueRef value);
bool cc_is_varied(const cc_body *body, LLVMValueRef value);

#endif
