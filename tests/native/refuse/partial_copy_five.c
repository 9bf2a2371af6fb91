/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: derivative is lost: copying 5 bytes
 * Five of a number's eight bytes are copied. */
#include <stddef.h>
#include <string.h>

static void copy(double *to, const double *from, size_t size) {
    memcpy(to, from, size);
}

double f(const double *x, size_t n) {
    double kept[2] = {x[0] * x[0], x[1] * x[1]};
    copy(&kept[0], &kept[1], n + 3);
    return kept[0] * kept[1];
}
