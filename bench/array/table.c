/* A loop that stores into a table of ENTRY, and does little else: what stores of integers cost against those of
 * doubles. */
#include "bench/array/kernel.h"

#include <stdint.h>

enum { BITS = 10, TIMES = 2000000 };
const size_t kernel_inputs = 1;

static ENTRY table[1 << BITS];

double kernel(const double *x, size_t n) {
    double sum = 0;
    uint32_t k = 1;
    (void)n;
    for (int i = 0; i < TIMES; i++) {
        k = k * 1664525u + 1013904223u;
        table[k >> (32 - BITS)] = (ENTRY)(k >> 8);
        sum += x[0] * 1e-7;
    }
    return sum + (double)table[77] * 1e-9;
}
