/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: derivative is lost: filling 4 bytes
 * Half of a number is cleared. */
#include <stddef.h>
#include <string.h>

static void clear(double *number, size_t size) {
    memset(number, 0, size);
}

double f(const double *x, size_t n) {
    double kept = x[0] * x[1];
    clear(&kept, 2 * n);
    return kept * x[0];
}
