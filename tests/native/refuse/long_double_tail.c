/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: long_double_tail\.c:1[0-9]: bytes written here are used as a floating-point number whose derivative is
 * needed Sign and exponent of a long double are its last two bytes. */
#include <stddef.h>
#include <stdint.h>

typedef union bytes {
    long double number;
    uint16_t part[8];
} bytes;

static void halve(bytes *of) {
    of->part[4] = 0x3ffe;
}

double f(const double *x, size_t n) {
    bytes head = {.number = (long double)x[0] * x[n - 1]};
    halve(&head);
    return (double)head.number * x[0];
}
