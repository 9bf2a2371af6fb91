/* Stencils: loads of a loop nest that read neighbouring numbers, so that a number which one of them reads in an
 * iteration is read by another one in another iteration. */
#ifndef CC_STENCIL_H
#define CC_STENCIL_H

#include "cc/plan/body.h"

enum { CC_TERMS_MOST = 8 };

typedef struct cc_term {
    LLVMValueRef value;
    int64_t times;
} cc_term;

/* An address: a sum of multiples of values, and a constant. */
typedef struct cc_place {
    cc_term terms[CC_TERMS_MOST];
    unsigned count;
    int64_t constant;
    bool known;
} cc_place;

/* Takes the address of a load apart, as far as it is computed in the nest. */
cc_place cc_place_of(const cc_body *body, int nest, LLVMValueRef load);
/* Returns whether two addresses always differ by the difference of their constants. */
bool cc_differ_by_constant(const cc_place *a, const cc_place *b);
/* Returns by how many bytes an iteration of a loop moves the address; 0 if that is not known. */
int64_t cc_step_of(const cc_body *body, int l, const cc_place *address);
/* Returns whether every iteration of a loop moves the address by the same number of bytes, not zero, and sets *step. */
bool cc_steps_evenly(const cc_body *body, int loop, const cc_place *place, int64_t *step);

/* Returns whether so many of the loads are neighbours that a copy of what they read takes much less than what each of
 * them reads. Two loads are neighbours if their addresses differ by a number of steps of a loop of the nest. */
bool cc_is_stencil(const cc_body *body, int nest, LLVMValueRef *loads, size_t count);

#endif
