/* at: 0.3,1.3
 * Doubles that are put together of digits, one in a byte, as interpreters do that read numbers by themselves: where
 * the digits came from nothing, where they are those of a number that was rounded, and where their memory held a number
 * before.
 * fast: with -march=native, tangent mode refuses it */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef union {
    double d;
    uint32_t word[2];
    uint64_t bits;
} both;

typedef struct conversion {
    uint8_t digits[64];
    int count;
} conversion;

__attribute__((noinline)) static void to_double(const conversion *from, uint32_t exponent, double *result) {
    both u;
    uint32_t word = 0;
    for (int i = 0; i < 52; i++) {
        uint32_t digit = 51 - i < from->count ? from->digits[51 - i] : 0;
        word += digit << (i % 32);
        if (i == 31) {
            u.word[0] = word;
            word = 0;
        }
    }
    u.word[1] = word + (exponent << 20);
    *result = u.d;
}

__attribute__((noinline)) static void to_double_at_once(const conversion *from, uint64_t exponent, double *result) {
    both u = {.bits = exponent << 52};
    for (int i = 0; i < 52; i++)
        u.bits |= (uint64_t)from->digits[51 - i] << i;
    *result = u.d;
}

__attribute__((noinline)) static void of_short_digits(const uint16_t *digits, double *result) {
    both u = {.bits = (uint64_t)digits[0] | (uint64_t)digits[1] << 16 | (uint64_t)digits[2] << 32};
    u.bits = u.bits % 1000003 << 20 | (uint64_t)1023 << 52;
    *result = u.d;
}

double f(const double *x, size_t n) {
    conversion c;
    double sum = 0, read;
    long rounded = (long)(x[1] * 1e7) / 1000000, fixed = 299999999;
    for (int turn = 0; turn < 4; turn++) {
        double scaled[8];
        for (int i = 0; i < 8; i++)
            scaled[i] = x[0] * i + x[n - 1];
        if (turn > 1) { /* the digits lie where numbers were */
            memcpy(c.digits, scaled, sizeof c.digits);
            memcpy(&scaled[turn], c.digits + 16, sizeof scaled[turn]);
            sum += scaled[turn] * scaled[2];
        }
        c.count = 0;
        for (long rest = turn % 2 == 0 ? rounded : fixed; c.count < 64; rest = rest >> 1 | (rest & 1) << 29)
            c.digits[c.count++] = rest & 1;
        to_double(&c, 1023, &read);
        sum += x[0] * read;
        to_double_at_once(&c, 1022, &read);
        sum += x[1] * read;
        uint16_t digits[3] = {(uint16_t)rounded, (uint16_t)fixed, c.digits[3]};
        of_short_digits(digits, &read);
        sum += x[0] * x[1] * read;
    }
    return sum;
}
