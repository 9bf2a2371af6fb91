/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: half_computed\.c:[12][0-9]: integer arithmetic on the bits of a number
 * The high half of a number is computed of another one's and stored alone. */
#include <stddef.h>
#include <stdint.h>

typedef union words {
    double number;
    uint32_t half[2];
} words;

static void clear_low(words *of) {
    of->half[0] = 0;
}

static void compute_high(words *to, const words *from) {
    to->half[1] = from->half[1] * 3u - 0x7ff00000u;
}

double f(const double *x, size_t n) {
    words a = {.number = x[0] * x[n - 1]}, b = {.number = 1};
    clear_low(&b);
    compute_high(&b, &a);
    return b.number * x[0];
}
