/* at: -0.7,1.1
 * refused: run
 * flags: -fno-inline
 * message: high_byte\.c:9.*bytes written here are used as a floating-point number
 * The sign is taken off in the last byte of a number in memory. */
#include <stddef.h>

static void take_sign_off(void *number) {
    ((unsigned char *)number)[7] &= 0x7f;
}

double f(const double *x, size_t n) {
    double product = x[0] * x[n - 1];
    take_sign_off(&product);
    return product * x[0];
}
