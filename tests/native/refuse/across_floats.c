/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: across_floats\.c:1[0-9]: the bytes of the floating-point number that is written here are used as those of
 * another type. Two floats, the first at an odd multiple of 4, are copied to a double. */
#include <stddef.h>
#include <string.h>

static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

static void put(float *to, double number) {
    *to = (float)number;
}

double f(const double *x, size_t n) {
    float four[4] = {1, 2, 3, 4};
    double both;
    put(&four[1], x[0]);
    put(&four[2], x[n - 1]);
    copy(&both, four + 1, n * 4);
    return both * x[1];
}
