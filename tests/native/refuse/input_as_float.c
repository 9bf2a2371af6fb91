/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: the bytes of an input are used as a floating-point number of another type
 * Half an input is taken for a float. */
#include <stddef.h>
#include <string.h>

static float half_of(const double *x) {
    float half;
    memcpy(&half, (const char *)x + 4, sizeof half);
    return half;
}

double f(const double *x, size_t n) {
    return half_of(x) * x[n - 1];
}
