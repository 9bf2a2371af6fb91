/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * message: long_double_exponent\.c:20: a part of a floating-point number whose derivative is needed is written here
 * A long double gets another exponent, in registers. */
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
    to.word[1] = 0x3ffe;
    return (double)(to.number * x[0]);
}
