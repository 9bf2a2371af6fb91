/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: high_word_counted\.c:1[0-9]: integer arithmetic on the bits of a number
 * The high half of a number is computed of another one's; the low half is zero, as in a power of two. No exponent is
 * seen in it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint32_t high(const double *number) {
    uint32_t half;
    memcpy(&half, (const char *)number + 4, sizeof half);
    return half;
}

static double number(uint32_t half) {
    uint64_t bits = (uint64_t)(half * 3u - 5u) << 32;
    double made;
    memcpy(&made, &bits, sizeof made);
    return made;
}

double f(const double *x, size_t n) {
    double product = x[0] * x[1];
    return number(high(&product)) * x[n - 1];
}
