/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: derivative is lost: filling 3 bytes
 * The last bits of a number are cleared. */
#include <stddef.h>
#include <string.h>

static void clear(double *number, size_t size) {
    memset(number, 0, size);
}

double f(const double *x, size_t n) {
    double kept = x[0] * x[1];
    clear(&kept, n + 1);
    return kept * x[0];
}
