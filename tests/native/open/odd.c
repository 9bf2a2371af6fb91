/* at: 0.7,1.1
 * refused: run
 * flags: -fno-inline
 * message: odd\.c
 * A double at an odd multiple of 4, where a copy has brought it; half of it is written there. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

static void put(void *to, uint32_t half) {
    *(uint32_t *)to = half;
}

double f(const double *x, size_t n) {
    _Alignas(8) char room[16];
    double a = x[0] * x[n - 1], d;
    copy(room + 4, &a, n * 4);
    put(room + 8, 0x3ff00000);
    copy(&d, room + 4, n * 4);
    return d * x[0];
}
