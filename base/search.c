/* See search.h. */
#include "base/search.h"

uint64_t verso_least_above(uint64_t low, verso_predicate holds, const void *context) {
    uint64_t stride = 1;
    while (!holds(context, low + stride)) {
        low += stride;
        stride *= 2;
    }
    uint64_t high = low + stride;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (holds(context, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}
