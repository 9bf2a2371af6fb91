/* at: 0.7,1.1
 * refused: run
 * flags: -O0
 * message: long_double_words\.c:[12][0-9]: bits of a floating-point number of one type are used as one of another type
 * A long double that is put together of integers in registers, of 64 and of 16 bits. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef union bits {
    long double number;
    uint64_t word[2];
} bits;

double f(const double *x, size_t n) {
    bits from, to;
    memset(&from, 0, sizeof from);
    from.number = (long double)x[0] * x[n - 1];
    to.word[0] = from.word[0];
    to.word[1] = from.word[1];
    return (double)(to.number * to.number);
}
