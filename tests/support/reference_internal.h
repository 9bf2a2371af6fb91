/* Helpers of the references: allocation that aborts if memory is exhausted, minimum and maximum. */
#ifndef VERSO_TESTS_REFERENCE_INTERNAL_H
#define VERSO_TESTS_REFERENCE_INTERNAL_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t *reference_numbers(size_t count) {
    uint64_t *numbers = calloc(count + 1, sizeof *numbers);
    if (numbers == NULL)
        abort();
    return numbers;
}

static inline uint64_t reference_min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static inline uint64_t reference_max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

#endif
