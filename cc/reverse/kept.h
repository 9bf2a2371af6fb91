/* Stores that write the value which is already there.
 *
 * In p[j] = p[j] < q ? p[j] : q, as in searches for shortest paths, the number usually keeps its value. Then its
 * adjoint keeps its value too, and all other adjoints of the segment are zero. The reverse function skips their code if
 * the recorded condition allows it. It does this only in loops that LLVM could not vectorise anyway. */
#ifndef CC_KEPT_H
#define CC_KEPT_H

#include "cc/plan/body.h"

typedef struct cc_kept {
    LLVMValueRef condition; /* of type i1 */
    bool when;              /* the value of the condition with which the number keeps its value */
} cc_kept;

/* Returns whether a segment has nothing to reverse under a condition, and sets *kept to it. */
bool cc_find_kept(const cc_body *body, const cc_segment *segment, cc_kept *kept);

#endif
