/* Extents: the least and the greatest value that an integer or an address has while a loop nest runs, computed by code
 * that runs before the nest is entered. The nest is a counted loop with everything inside it. The number of iterations
 * of its loops must follow from a comparison of an induction variable with a bound. All values are within the extent if
 * it is sound (cc_extent_is_sound); for the loops of dense linear algebra the bounds are exact. All code is built at
 * the builder, in 64 bits. */
#ifndef CC_EXTENT_H
#define CC_EXTENT_H

#include "cc/plan/body.h"
#include "cc/plan/counts.h"
#include "cc/plan/narrow.h"

/* The values from `lo` to `hi`, both included (i64). */
typedef struct cc_extent {
    LLVMValueRef lo, hi;
} cc_extent;

/* A nest, and the part of its outermost loop that extents are for. */
typedef struct cc_reach {
    cc_body *body;
    int nest;             /* number of the outermost loop */
    cc_extent turns;      /* numbers of its iterations, from 0 */
    LLVMValueRef *starts; /* for items that are phis of its header: values in iteration 0; NULL: as in the program */
    bool *varies;         /* out, for each loop: the extents built so far depend on values that differ between its
                             iterations, apart from bounds of inner loops */
    bool moving;          /* out: ... and on bounds of inner loops that differ between iterations of the outermost */
    int level;            /* a loop of the nest: only the length of the extent is right, and it is that of one run of
                             this loop. -1: none */
    int depth, bounding;  /* for extent.c: depth of the recursion, and of that for bounds of inner loops */
    cc_narrow *narrow; /* indices of 32 bits are taken for their sums, and noted here; NULL: they are not understood */
    int mixing;        /* for extent.c: depth of products of numbers that both vary */
    unsigned shifted;  /* for extent.c: how many high bits of a sum are shifted out of it */
} cc_reach;

/* Changes phis that always are an induction variable of their loop plus a constant, so that they are induction
 * variables themselves, or expresses one by another. Returns whether there were any; if so, `body` is out of date and
 * must be made again. */
bool cc_straighten(cc_body *body);
/* Expresses a variable that grows by an amount which is no constant, and ends a loop around others, by a counter that
 * ends it. Returns whether there was one; if so, `body` must be made again. */
bool cc_count_steps(cc_body *body);
cc_reach cc_reach_new(cc_body *body, int nest);
/* Clears `varies` and `moving`. */
void cc_reach_clear(cc_reach *reach);
/* Returns the pointer from which an address in a nest is computed by adding offsets. */
LLVMValueRef cc_extent_root(const cc_body *body, int nest, LLVMValueRef address);
/* Builds the extent of the offset, in bytes, of an address from its root. Returns false if it cannot; then
 * code that is not used may have been built. */
bool cc_extent_of_offset(cc_reach *reach, LLVMValueRef address, cc_extent *extent);
/* Builds an extent that is as long as what loads read of their object in one run of a loop of the nest at most; where
 * it lies says nothing. Returns false if their addresses do not differ by constants, or are not understood. */
bool cc_extent_of_run(cc_reach *reach, int level, LLVMValueRef *loads, size_t count, cc_extent *extent);
/* Builds an upper bound of the number of times that a loop of the nest goes back each time that it is entered. Returns
 * false if it cannot. */
bool cc_turns_of(cc_reach *reach, int loop, LLVMValueRef *turns);
/* Returns by how much the last value of an induction variable of this width differs from the bound in a comparison that
 * ends its loop, in *late; false if the comparison does not bound a variable that grows by `step`. */
bool cc_find_lateness(const cc_loop_test *test, int64_t step, bool is_signed, unsigned width, int64_t *late);
/* Builds an i1: true if no integer in the extent can have wrapped. */
LLVMValueRef cc_extent_is_sound(cc_unit *unit, cc_extent extent);
/* Returns whether the value is the same in all iterations of a loop. */
bool cc_is_outside(const cc_body *body, int loop, LLVMValueRef value);

/* Build a + b, a - b and a * b, signed. What does not fit 64 bits becomes the largest or the smallest number. */
LLVMValueRef cc_sum_within(cc_unit *unit, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef cc_difference_within(cc_unit *unit, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef cc_product_within(cc_unit *unit, LLVMValueRef a, LLVMValueRef b);
/* Build the smaller and the larger of two signed numbers. */
LLVMValueRef cc_smaller(cc_unit *unit, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef cc_larger(cc_unit *unit, LLVMValueRef a, LLVMValueRef b);

#endif
