/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: half_of_constant\.c:1[0-9]: a part of a floating-point number whose derivative is needed is written here
 * Half a number is copied over half a constant. */
#include <stddef.h>
#include <stdint.h>

typedef union words {
    double number;
    uint32_t half[2];
} words;

static void copy_half(words *to, const words *from, size_t half) {
    to->half[half] = from->half[half];
}

double f(const double *x, size_t n) {
    words a = {.number = x[0] * x[n - 1]}, both = {.number = 1};
    copy_half(&both, &a, 0);
    return both.number * x[0];
}
