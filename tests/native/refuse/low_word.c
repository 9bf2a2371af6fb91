/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * message: low_word\.c:1[0-9].*integer arithmetic on the bits
 * The last 32 bits of a number are cleared, to split it in two as mathematical libraries do. */
#include <stddef.h>
#include <stdint.h>

typedef union words {
    double number;
    uint32_t half[2];
} words;

double f(const double *x, size_t n) {
    words head = {.number = x[0] * x[n - 1]};
    head.half[0] = 0;
    return head.number * x[0];
}
