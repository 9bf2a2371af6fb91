/* at: 0.7,1.1
 * Numbers in memory are doubled by adding one to their exponents. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void double_in_place(double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits += (uint64_t)1 << 52;
        memcpy(&values[i], &bits, sizeof bits);
    }
}

double f(const double *x, size_t n) {
    double copy[2] = {x[0], x[n - 1]};
    double_in_place(copy, 2);
    return copy[0] * copy[1];
}
