/* Divides innermost loops into strips, so that a run can be split inside them without making them slower.
 *
 * A safepoint in every iteration would cost time and prevent vectorisation; without any, one loop could write any
 * amount of tape between two safepoints. So a loop without followed calls is enclosed in another loop, called the
 * loop around it:
 *
 *     before:  i = phi(start, next)  ... body ...                                  exits unchanged
 *     after:   around: s = phi(start, s + COUNT * step)
 *              header: i = phi(s, next), k = phi(0, k + 1)  ... body ...           exits unchanged
 *              latch:  k == COUNT - 1 ? again : header
 *              again:  safepoint; to around
 *
 * COUNT is the largest power of two for which a strip certainly writes at most cc_request.strip bytes of tape. It
 * depends on nothing else, so sums over a loop are computed in the same order however the run is split. Where such
 * a loop is left, one number is recorded for both counters: the total number of times that it has gone back. */
#ifndef CC_STRIPS_H
#define CC_STRIPS_H

#include "cc/plan/body.h"

enum { CC_STRIP_BYTES = 1 << 20 }; /* default of cc_request.strip, in bytes of tape */

/* Divides the innermost loops of a function into strips, and returns the body of the changed function, with the
 * fields of its loops that concern strips filled in. */
cc_body *cc_body_in_strips(cc_unit *unit, cc_function *function);

#endif
