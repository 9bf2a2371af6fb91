/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: halves_joined\.c:1[0-9]: integer arithmetic on the bits of a number
 * Halves of two numbers are put together in a register. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static double join(const uint32_t *low, const uint32_t *high) {
    uint64_t bits = (uint64_t)*high << 32 | *low;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

double f(const double *x, size_t n) {
    double kept[2] = {x[0] * x[n - 1], x[1]};
    const uint32_t *words = (const uint32_t *)(const void *)kept;
    return join(words, words + 3) * x[0];
}
