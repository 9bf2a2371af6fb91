/* See search.h. */
#include "base/search.h"

uint64_t verso__least_above(uint64_t low, verso__predicate holds, const void *context) {
    uint64_t stride = 1;
    while (stride < UINT64_MAX - low && !holds(context, low + stride)) {
        low += stride;
        stride *= 2; /* at most one more than `low` has grown by, so that neither overflows */
    }
    uint64_t high = stride < UINT64_MAX - low ? low + stride : UINT64_MAX;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (holds(context, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}
