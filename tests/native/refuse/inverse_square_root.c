/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * message: inverse_square_root\.c:(9|1[0-9])
 * The famous inverse square root: arithmetic on the bits of a number. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static float inverse_root(float u) {
    uint32_t bits;
    float guess;
    memcpy(&bits, &u, sizeof bits);
    bits = 0x5f3759dfu - (bits >> 1);
    memcpy(&guess, &bits, sizeof guess);
    return guess * (1.5f - 0.5f * u * guess * guess);
}

double f(const double *x, size_t n) {
    return inverse_root((float)x[0]) * x[n - 1];
}
