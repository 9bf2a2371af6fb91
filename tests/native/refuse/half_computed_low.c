/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: half_computed_low\.c:[12][0-9]: integer arithmetic on the bits of a number
 * The low half of a number is computed of the high one of another and stored alone. */
#include <stddef.h>
#include <stdint.h>

typedef union words {
    double number;
    uint32_t half[2];
} words;

static void set_high(words *of) {
    of->half[1] = 0x3ff00000;
}

static void compute_low(words *to, const words *from) {
    to->half[0] = from->half[1] * 3u - 0x7ff00000u;
}

double f(const double *x, size_t n) {
    words a = {.number = x[0] * x[n - 1]}, b = {.number = 1};
    compute_low(&b, &a);
    set_high(&b);
    return b.number * x[0];
}
