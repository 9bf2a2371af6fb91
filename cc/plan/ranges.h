/* Ranges: operands that are copied to the tape once per loop nest instead of being recorded at each use.
 *
 * A product of matrices uses each of its n^2 numbers n times. If nothing in a nest may write to what a load reads, and
 * the load reads the same bytes repeatedly or is part of a stencil (stencil.h), the nest gets a version in which these
 * bytes, from the lowest to the highest address that the nest may read, are copied to the tape where the nest is left.
 * The reverse function computes the address of the load again and adds the distance from the program's memory to the
 * copy.
 *
 * A nest may also write to what it reads, if it does so less often (rewritten.c): a decomposition of a matrix in place
 * stores each number once and uses it n times. Recording code then records what each store overwrites, and the reverse
 * function puts that back into the copy, so that in each segment the copy holds what the segment has read. A load is
 * therefore read from the copy in its own segment only.
 *
 * The program decides at the nest's entry whether that is possible and worthwhile, from the extents of all addresses
 * (extent.h): the bytes read must not overlap the bytes written, must lie in memory that certainly exists, and must be
 * few. The decision and the sizes depend on the state of the program only, so advancing and recording agree on them.
 * The version with copies has no safepoints inside; it runs in blocks of iterations that write no more tape than a
 * strip (versions.h), so a run is never suspended while a copy is missing. */
#ifndef CC_RANGES_H
#define CC_RANGES_H

#include "cc/plan/body.h"

/* The bytes that a nest reads from one root. */
typedef struct cc_range {
    LLVMBasicBlockRef header;  /* of the nest */
    int loop;                  /* the nest */
    LLVMValueRef begin, bytes; /* address (i64) and number of the bytes (i64), multiples of 8; known before the nest */
    LLVMValueRef *loads;       /* the loads that read them */
    size_t load_count;
    LLVMValueRef *stores; /* the stores of the nest that may write to them */
    size_t store_count;
    bool again;           /* reverse code computes `begin` and `bytes` again; else they are recorded */
    bool lasts;           /* a copy may be kept beside the tape, for several nests (lasting.h) */
    LLVMValueRef object;  /* if it lasts: a pointer to the object that is read, known before the nest; NULL: none is */
    LLVMValueRef lasting; /* in recording code: the address of its lasting copy */
    int slot;             /* slot with the distance from the program's memory to the copy (i64) */
    bool used;            /* some value is read from the copy */
    bool sums; /* nothing is copied: the loads, whose cells get rolling sums (rolling.h), read nothing that the nest
                  writes */
} cc_range;

/* A nest with ranges, until its function is planned. */
typedef struct cc_nest {
    LLVMBasicBlockRef header;
    LLVMValueRef cost;   /* placeholder for the bytes of tape that an iteration writes at most */
    LLVMValueRef *turns; /* for each loop of the nest, by its header in `headers`: how often it goes back at most */
    LLVMBasicBlockRef *headers;
    size_t turn_count;
} cc_nest;

typedef struct cc_ranges {
    cc_range *all;
    size_t count, capacity;
    cc_nest *nests;
    size_t nest_count, nest_capacity;
} cc_ranges;

/* Makes versions with copies of all loop nests of a function in which some loads can be copied. */
cc_ranges *cc_find_ranges(cc_unit *unit, cc_function *function);
/* Connects ranges with the items and loops of the changed function's body. */
void cc_connect_ranges(cc_body *body, cc_ranges *ranges);
/* Returns whether a loop is a nest with copies, or in one. */
bool cc_is_in_nest(const cc_body *body, int loop);
/* Returns whether a copy of the range precedes the record of a segment. */
bool cc_has_copy(const cc_body *body, const cc_segment *segment, const cc_range *range);
/* Sets range->again, and plans what it needs. */
void cc_plan_ranges(cc_body *body);
/* Returns whether a store in a loop may write to a range. */
bool cc_rewrites_in(const cc_body *body, int range, int loop);
/* Replaces the placeholders by the cost of the records that are planned. */
void cc_set_range_costs(cc_body *body);

#endif
