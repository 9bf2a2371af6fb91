/* Segments of a function, the values that their adjoint code needs, and the fields of their records.
 *
 * A segment is a part of a block. It ends with a call that must itself be reversed (a followed call, or a call with
 * a custom adjoint), or with the end of the block, and contains no other such call. Each segment writes one record
 * to the tape, before its last instruction.
 *
 * Items, blocks, loops and slots are indices into the arrays of a cc_body (body.h); -1 means none. */
#ifndef CC_PLAN_SEGMENT_H
#define CC_PLAN_SEGMENT_H

#include "cc/ir/unit.h"

/* How the reverse function obtains a value that it needs in a segment. */
typedef enum cc_source {
    CC_SOURCE_UNKNOWN,
    CC_SOURCE_INDUCTION, /* from a slot that is stepped back with its loop */
    CC_SOURCE_INVARIANT, /* from a slot; recorded once, where its loop was left */
    CC_SOURCE_RANGE,     /* from a copy that was made where its nest was left (ranges.h) */
    CC_SOURCE_AGAIN,     /* computed again from its operands */
    CC_SOURCE_TAPE,      /* from this segment's record */
} cc_source;

/* A value that the adjoint code of a segment needs. */
typedef struct cc_need {
    int item;
    cc_source source;
    int field;          /* index of its field in the record; -1: none. With CC_SOURCE_RANGE, only to check the copy */
    LLVMValueRef built; /* the value in the reverse function; NULL until it is built */
} cc_need;

typedef enum cc_field_kind {
    CC_FIELD_NEED,        /* the value of an item */
    CC_FIELD_PREDECESSOR, /* number of the predecessor from which control entered the block */
    CC_FIELD_COUNT,       /* how often a loop that was left had gone back */
    CC_FIELD_SLOT,        /* last value of an induction variable, or an invariant, of a loop that was left */
    CC_FIELD_BEGIN,       /* address of a range whose copy precedes the record */
    CC_FIELD_BYTES,       /* its size */
    CC_FIELD_LASTING,     /* address of its lasting copy; NULL: the copy precedes the record */
    CC_FIELD_OLD,         /* what a store overwrites in a range (ranges.h) */
    CC_FIELD_CALLEE,      /* reverse function of a function that was called through a pointer */
} cc_field_kind;

/* A field of a record. */
typedef struct cc_field {
    cc_field_kind kind;
    int item, loop, slot; /* numbers of the item (range), loop and slot that it concerns; -1: none */
    LLVMTypeRef type;
    unsigned offset; /* in the record, in bytes */
} cc_field;

typedef struct cc_segment {
    int block;
    int first, last;        /* items; `last` is the one before the call that ends it, or the block's terminator */
    int call;               /* the call that ends it; -1: the end of the block does */
    LLVMValueRef condition; /* condition of the branch that decides from which of two predecessors its block was
                               entered, if it can be computed again; NULL: the record says it, if needed */
    int when_true;          /* number of the predecessor if `condition` is true: 0 or 1 */
    cc_need *needs;
    size_t need_count, need_capacity;
    cc_map need_of; /* item + 1, as a pointer -> index in `needs` */
    cc_field *fields;
    size_t field_count, field_capacity;
    unsigned size;              /* of the record, in bytes (records.h) */
    unsigned grain;             /* alignment of the record, in bytes */
    uint64_t resume;            /* value of state.entry with which the reverse function resumes after the call */
    LLVMBasicBlockRef reversed; /* block of the reverse function that reverses it */
} cc_segment;

#endif
