/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: seeded_with_half\.c:[12][0-9]: integer arithmetic on the bits of a number
 * The high half of a number seeds a generator of 32 bits. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint32_t high(const double *number) {
    uint32_t half;
    memcpy(&half, (const char *)number + 4, sizeof half);
    return half;
}

static double number(uint32_t seed) {
    uint64_t bits = UINT64_C(0x3ff0000000000000) | (uint64_t)(seed * 1664525u) << 20;
    double made;
    memcpy(&made, &bits, sizeof made);
    return made - 1;
}

double f(const double *x, size_t n) {
    double product = x[0] * x[1];
    return number(high(&product)) * x[n - 1];
}
