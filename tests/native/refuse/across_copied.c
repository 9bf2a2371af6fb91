/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: a derivative is lost: copying 8 bytes
 * A copy of unknown size makes a double of the halves of two others. */
#include <stddef.h>
#include <string.h>

static void put(double *to, double number) {
    *to = number;
}

static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

double f(const double *x, size_t n) {
    double two[2], across;
    put(&two[0], x[0]);
    put(&two[1], x[n - 1]);
    copy(&across, (char *)two + 4, n * 4);
    return across * x[1];
}
