/* at: 0.7,1.1,0.3
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: byte_order\.c:(1[0-9]|2[0-9])
 * A number is written with its bytes in the other order and read again: what a single byte carries is unknown. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void put(unsigned char *to, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 8; i++)
        to[7 - i] = (unsigned char)(bits >> (8 * i));
}

static double get(const unsigned char *from) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | from[i];
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

double f(const double *x, size_t n) {
    _Alignas(8) unsigned char bytes[8];
    put(bytes, x[0]);
    return get(bytes) * x[n - 1];
}
