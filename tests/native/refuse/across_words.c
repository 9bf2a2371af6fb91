/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: across_words\.c:1[0-9]: the bytes of the floating-point number that is written here are used as those of
 * another type. As across_floats.c, by way of an integer. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void put(float *to, double number) {
    *to = (float)number;
}

static uint64_t bits_of(const float *pair) {
    uint64_t bits;
    memcpy(&bits, pair, sizeof bits);
    return bits;
}

static void keep(double *to, uint64_t bits) {
    memcpy(to, &bits, sizeof bits);
}

double f(const double *x, size_t n) {
    float four[4] = {1, 2, 3, 4};
    double both;
    put(&four[1], x[0]);
    put(&four[2], x[n - 1]);
    keep(&both, bits_of(four + 1));
    return both * x[1];
}
