/* Innermost loops are taken in strips, so that a run can be split inside them and they stay as fast as they were.
 *
 * A safepoint in every iteration would be the price of each of them and keep LLVM from vectorising; without any, one
 * loop could write any amount of tape between two safepoints. So a loop without calls goes into a loop around it:
 *
 *     before:  i = phi(start, next)  ... body ...                                  exits as they were
 *     after:   around: s = phi(start, s + COUNT * step)
 *              header: i = phi(s, next), k = phi(0, k + 1)  ... body ...           exits as they were
 *              latch:  k == COUNT - 1 ? again : header
 *              again:  safepoint; to around
 *
 * where COUNT, a power of two, is as large as a strip that is certain to write at most cc_request.strip bytes of tape
 * allows. The length of strips depends on nothing else, so sums over a loop are taken in the same order however the
 * run is split. Whoever leaves such a loop keeps one number for both counters: how often it has gone back in all. */
#ifndef CC_STRIPS_H
#define CC_STRIPS_H

#include "cc/body.h"

enum { CC_STRIP_BYTES = 1 << 20 }; /* of tape, when nothing else is asked for */

/* Changes the function, and returns the body of the result, with what is known of strips in its loops. */
cc_body *cc_body_in_strips(cc_unit *unit, cc_function *function);

#endif
