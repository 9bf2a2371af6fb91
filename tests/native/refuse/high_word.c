/* at: -0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: high_word\.c:1[0-9].*integer arithmetic on the bits of a number
 * The sign is taken off in the first 32 bits of a number in memory. */
#include <stddef.h>
#include <stdint.h>

typedef union words {
    double number;
    uint32_t half[2];
} words;

static void take_sign_off(words *number) {
    number->half[1] &= 0x7fffffff;
}

double f(const double *x, size_t n) {
    words product = {.number = x[0] * x[n - 1]};
    take_sign_off(&product);
    return product.number * x[0];
}
