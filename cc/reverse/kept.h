/* Stores that keep what is there.
 *
 * In p[j] = p[j] < q ? p[j] : q, as in searches of shortest paths, the number mostly stays. Then its adjoint stays,
 * too, and the rest of the segment gets adjoints of zero. The reverse function passes over all that where the condition
 * says so. It does this only in loops that LLVM could not vectorise anyway. */
#ifndef CC_KEPT_H
#define CC_KEPT_H

#include "cc/plan/body.h"

typedef struct cc_kept {
    LLVMValueRef condition; /* of type i1 */
    bool when;              /* the value of the condition with which the number stays */
} cc_kept;

/* Returns whether a segment has nothing to reverse under a condition, and sets *kept to it. */
bool cc_find_kept(const cc_body *body, const cc_segment *segment, cc_kept *kept);

#endif
