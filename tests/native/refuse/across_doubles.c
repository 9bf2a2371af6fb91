/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: across_doubles\.c:1[0-9]: the bytes of the floating-point number that is written here are used as those of
 * another. A double is read that is made of the halves of two. */
#include <stddef.h>
#include <string.h>

static void put(double *to, double number) {
    *to = number;
}

double f(const double *x, size_t n) {
    double two[2], across;
    put(&two[0], x[0]);
    put(&two[1], x[n - 1]);
    memcpy(&across, (char *)two + 4, sizeof across);
    return across * x[1];
}
