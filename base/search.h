/* The least number for which something holds, when it holds for all larger ones too. */
#ifndef VERSO_BASE_SEARCH_H
#define VERSO_BASE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

typedef bool (*verso_predicate)(const void *context, uint64_t number);

/* The least number above `low` for which `holds` does; it must hold somewhere below 2^63. Found by doubling, then by
 * halving: cheap when the answer is near `low`. */
uint64_t verso_least_above(uint64_t low, verso_predicate holds, const void *context);

#endif
