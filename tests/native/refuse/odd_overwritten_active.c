/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: a derivative is lost: copying 8 bytes
 * A double at an odd multiple of 4, where a copy has brought it; a double with a derivative is stored over its second
 * half. */
#include <stddef.h>
#include <string.h>

static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

static void put(double *to, double number) {
    *to = number;
}

double f(const double *x, size_t n) {
    double room[2], a = x[0] * x[n - 1], d;
    copy((char *)room + 4, &a, n * 4);
    put(&room[1], a);
    copy(&d, (char *)room + 4, n * 4);
    return d * x[0] + room[1] * x[1];
}
