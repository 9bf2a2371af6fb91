/* at: 0.7,1.1
 * refused: run
 * message: float_above\.c:1[0-9]: integer arithmetic on the bits of a number
 * The bits of a float are the high half of a double. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

double f(const double *x, size_t n) {
    float single = (float)(x[0] * x[n - 1]);
    uint32_t half;
    memcpy(&half, &single, sizeof half);
    uint64_t word = (uint64_t)half << 32;
    double number;
    memcpy(&number, &word, sizeof number);
    return number;
}
