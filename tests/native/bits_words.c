/* at: 0.7,1.1,0.27,2.06
 * Numbers taken apart through their bits and put together again: the high word of a double changed as old mathematical
 * libraries do, mantissa and exponent apart, two floats in one integer, keys that sort as the numbers do, bytes in
 * order. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef union parts {
    double number;
    uint64_t bits;
    struct {
        uint32_t low, high;
    } words;
    float floats[2];
} parts;

static double scaled(double u, int power) {
    parts p = {u};
    p.words.high += (uint32_t)power << 20;
    return p.number;
}

static double mantissa(double u) {
    parts p = {u};
    p.bits = (p.bits & 0xfffffffffffff) | 0x3ff0000000000000;
    return p.number;
}

static int exponent(double u) {
    parts p = {u};
    return (int)(p.words.high >> 20 & 0x7ff) - 1023;
}

static double negated_pair(double u, double v) {
    parts p = {.floats = {(float)u, (float)v}};
    p.bits ^= 0x8000000080000000;
    return p.floats[0] * 3.0 + p.floats[1];
}

static double sorted(const double *x, size_t n) {
    uint64_t keys[8];
    for (size_t i = 0; i < n; i++) {
        memcpy(&keys[i], &x[i], sizeof keys[i]);
        keys[i] |= 0x8000000000000000;
        for (size_t j = i; j > 0 && keys[j - 1] > keys[j]; j--) {
            uint64_t keep = keys[j];
            keys[j] = keys[j - 1];
            keys[j - 1] = keep;
        }
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        parts p = {.bits = keys[i] & 0x7fffffffffffffff};
        sum += p.number * (double)(i + 1);
    }
    return sum;
}

double f(const double *x, size_t n) {
    double sum = sorted(x, n) * scaled(x[0] * x[1], 3);
    for (size_t i = 0; i < n; i++)
        sum += log(mantissa(x[i])) + exponent(x[i] * 1.3) * 0.6931471805599453 * x[i] + scaled(x[i], -2);
    return sum + negated_pair(0.5, 0.25) * x[1];
}
