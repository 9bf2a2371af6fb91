/* at: 0.7,1.1
 * flags: -fno-inline
 * noise: 1e-6
 * The famous inverse square root, its arithmetic in a function that only knows integers. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint32_t guess_bits(uint32_t bits) {
    return 0x5f3759dfu - (bits >> 1);
}

static float inverse_root(float u) {
    uint32_t bits;
    float guess;
    memcpy(&bits, &u, sizeof bits);
    bits = guess_bits(bits);
    memcpy(&guess, &bits, sizeof guess);
    return guess * (1.5f - 0.5f * u * guess * guess);
}

double f(const double *x, size_t n) {
    return inverse_root((float)x[0]) * x[n - 1];
}
