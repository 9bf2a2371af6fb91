/* Finds the least number with a property that holds for all larger numbers, too. */
#ifndef VERSO_BASE_SEARCH_H
#define VERSO_BASE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

typedef bool (*verso__predicate)(const void *context, uint64_t number);

/* Returns the least number above `low` for which `holds` returns true; UINT64_MAX if there is none. Doubles the
 * distance from `low`, then bisects: fast if the result is near `low`. `low` must be less than UINT64_MAX. */
uint64_t verso__least_above(uint64_t low, verso__predicate holds, const void *context);

#endif
