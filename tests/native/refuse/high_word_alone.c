/* at: 0.7,1.1
 * refused: run
 * flags: -fno-inline
 * message: high_word_alone\.c:[12][0-9]: integer arithmetic on the bits of a number
 * The high half of a number, as a function returns it, above a constant. */
#include <stddef.h>
#include <stdint.h>

typedef union bits {
    double number;
    uint32_t half[2];
    uint64_t word;
} bits;

static uint32_t high(const bits *of) {
    return of->half[1];
}

double f(const double *x, size_t n) {
    bits from = {.number = x[0] * x[n - 1]}, to = {.word = (uint64_t)high(&from) << 32};
    return to.number;
}
