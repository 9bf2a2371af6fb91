/* Extents: which values an integer or an address takes while a loop nest runs, as code that computes the bounds before
 * the nest is entered. The nest is a counted loop with everything inside it. Only loops whose number of iterations
 * follows from a comparison of an induction variable with a bound are understood; an extent is a superset, exact for
 * the loops of dense linear algebra, unless it is not sound. All code is built at the builder, in 64 bits. */
#ifndef CC_EXTENT_H
#define CC_EXTENT_H

#include "cc/plan/body.h"
#include "cc/plan/counts.h"

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
    bool *varies;         /* out, for each loop: values that differ between its iterations were met, apart from numbers
                             that start or end an inner loop */
    bool moving;          /* out: numbers were met that start or end an inner loop and differ between the iterations of
                             the outermost */
    int level;            /* a loop of the nest: only the length of the extent is right, and it is that of one run of
                             this loop. -1: none */
    int depth, bounding;  /* of the recursion; within such numbers */
    int mixing;           /* within a product of numbers that both vary */
} cc_reach;

/* Changes phis that always are an induction variable of their loop plus a constant, so that they are induction variables
 * themselves, or expresses one by another. Returns whether there were any; `body` then describes the code that it was. */
bool cc_straighten(cc_body *body);
cc_reach cc_reach_new(cc_body *body, int nest);
/* Forgets which values were met. */
void cc_reach_clear(cc_reach *reach);
/* Returns the pointer from which an address in a nest is computed by adding offsets. */
LLVMValueRef cc_extent_root(const cc_body *body, int nest, LLVMValueRef address);
/* Builds the extent of the offset, in bytes, of an address from its root. Returns false if it is not understood; then
 * code that is not used may have been built. */
bool cc_extent_of_offset(cc_reach *reach, LLVMValueRef address, cc_extent *extent);
/* Builds an extent that is as long as what loads read of their object in one run of a loop of the nest at most; where it
 * lies says nothing. Returns false if their addresses do not differ by constants, or are not understood. */
bool cc_extent_of_run(cc_reach *reach, int level, LLVMValueRef *loads, size_t count, cc_extent *extent);
/* Builds an upper bound of the number of times that a loop of the nest goes back each time that it is entered. Returns
 * false if it is not understood. */
bool cc_turns_of(cc_reach *reach, int loop, LLVMValueRef *turns);
/* Returns by how much the last value of an induction variable of this width differs from the bound in a comparison that
 * ends its loop, in *late; false if the comparison does not bound a variable that grows by `step`. */
bool cc_lateness(const cc_loop_test *test, int64_t step, bool is_signed, unsigned width, int64_t *late);
/* Builds whether no number of the extent can have wrapped. */
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
