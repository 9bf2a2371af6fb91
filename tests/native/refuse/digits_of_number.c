/* at: 0.7,1.3
 * refused: run
 * message: digits_of_number.c:[0-9]+: integer arithmetic on the bits of a number
 * tangent: none
 * The digits of a number's bits, one in a byte, copied to an odd place, and a number made of them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__attribute__((noinline)) static void take_apart(const double *number, uint8_t *digits) {
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    for (int i = 0; i < 64; i++, bits >>= 1)
        digits[i] = bits & 1;
}

__attribute__((noinline)) static void put_together(const uint8_t *digits, double *number) {
    uint64_t bits = (uint64_t)1023 << 52;
    for (int i = 0; i < 52; i++)
        bits |= (uint64_t)digits[i] << i;
    memcpy(number, &bits, sizeof bits);
}

double f(const double *x, size_t n) {
    uint8_t digits[64], moved[80];
    double number;
    take_apart(&x[n - 1], digits);
    memset(moved, 0, sizeof moved);
    memcpy(moved + 5, digits, sizeof digits);
    put_together(moved + 5, &number);
    return x[0] * number;
}
