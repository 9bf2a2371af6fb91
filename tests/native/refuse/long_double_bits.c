/* at: 0.7,1.1
 * refused: run
 * message: long_double_bits\.c:1[0-9]: bits of a floating-point number of one type are used as one of another type
 * LLVM takes the long double for an integer of 80 bits, and that for one of 64. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

double f(const double *x, size_t n) {
    union {
        long double number;
        uint64_t word[2];
    } bits;
    memset(&bits, 0, sizeof bits);
    bits.number = (long double)x[0] * x[n - 1];
    bits.word[0] |= UINT64_C(1) << 60;
    return (double)bits.number;
}
