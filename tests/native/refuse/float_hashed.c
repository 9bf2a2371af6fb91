/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: float_hashed\.c:1[0-9]: integer arithmetic on the bits of a number
 * A float is hashed in memory, the hash is hashed again, and the result taken for a float. */
#include <stddef.h>
#include <stdint.h>

typedef union word {
    float number;
    uint32_t bits;
} word;

static void mix(word *to, const word *from) {
    to->bits = 0x3f800000u | ((from->bits ^ from->bits >> 7) * 0x9e3779b9u) >> 9;
}

double f(const double *x, size_t n) {
    word words[3] = {{.number = (float)x[0]}, {.number = 1}, {.number = 2}};
    mix(&words[1], &words[0]);
    mix(&words[2], &words[1]);
    return (double)words[2].number * x[n - 1];
}
