/* at: 0.7,1.1
 * refused: run
 * flags: -fno-inline -O3
 * message: bf16\.c
 * The upper half of a float is all that is left of it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint16_t upper(const float *number) {
    uint16_t half;
    memcpy(&half, (const char *)number + 2, sizeof half);
    return half;
}

static float widen(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

double f(const double *x, size_t n) {
    float number = (float)(x[0] * x[n - 1]);
    return (double)widen(upper(&number)) * x[0];
}
