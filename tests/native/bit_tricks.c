/* at: 0.7,-1.1,0.25,2.0
 * Tricks with the bits of a number that are what a known function is: absolute value by a mask, sign by an exclusive
 * or, sign copied, sign tested; and bits that are only looked at. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t bits_of(double u) {
    uint64_t bits;
    memcpy(&bits, &u, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits) {
    double u;
    memcpy(&u, &bits, sizeof u);
    return u;
}

static double absolute(double u) {
    return number_of(bits_of(u) & 0x7fffffffffffffffu);
}

static double negate(double u) {
    return number_of(bits_of(u) ^ 0x8000000000000000u);
}

static double with_sign(double u, double sign) {
    return number_of((bits_of(u) & 0x7fffffffffffffffu) | (bits_of(sign) & 0x8000000000000000u));
}

static int exponent(double u) {
    return (int)((bits_of(u) >> 52) & 0x7ff) - 1023;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += absolute(x[i]) * negate(x[(i + 1) % n]) + with_sign(x[i] * x[i], x[1]) * x[0];
        sum += exponent(x[i] * 1.1) * x[2] + (bits_of(x[i]) >> 63 ? x[3] : 0.5 * x[i]);
    }
    union {
        float number;
        uint32_t bits;
    } single = {.number = 0.75f};
    single.bits |= 0x80000000u;
    return sum * single.number;
}
