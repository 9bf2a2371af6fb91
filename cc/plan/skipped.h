/* Iterations of a nest in which stores do not run, because a condition guards them: `if (i != k)`. Elimination as in
 * Gauss-Jordan reads row k in all iterations and writes to row i in all but the k-th. Extents of all iterations overlap
 * then; those of the iterations before the k-th, and behind it, do not. */
#ifndef CC_SKIPPED_H
#define CC_SKIPPED_H

#include "cc/plan/extent.h"

/* The iteration in which the induction variable `item` of the nest is `at`, a value that is known before the nest. It
 * is NULL if no iteration is certainly skipped. */
typedef struct cc_skipped {
    LLVMValueRef item, at;
} cc_skipped;

/* Returns the iteration of the nest in which a block certainly does not run. */
cc_skipped cc_skipped_iteration(const cc_body *body, int nest, int block);
/* Builds the number of the iteration, as if the nest had no last one. Returns NULL if it is not understood. */
LLVMValueRef cc_number_of_skipped(cc_reach *reach, cc_skipped skipped);

#endif
