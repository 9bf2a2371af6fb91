/* See ratio.h. Both numbers are converted to multi-word integers. 64 bits of their quotient, and whether the
 * remainder is zero, determine the rounding. */
#include "vlad/ratio.h"

#include <math.h>
#include <stdint.h>

enum {
    WORD = 32,
    BITS_A_DIGIT = 4, /* maximum number of bits of a digit */
    QUOTIENT = 64,
    FINEST = 1074,        /* the smallest real is 2^-FINEST */
    DEEPEST = FINEST + 2, /* of lower bits only matters whether one is set */
    WORDS = (BITS_A_DIGIT * VLAD_RATIO_LONGEST + 2 * QUOTIENT + DEEPEST) / WORD + 1
};

/* An integer, lowest word first. */
typedef struct whole {
    uint32_t words[WORDS];
} whole;

unsigned vlad_digit(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

bool vlad_is_zero(vlad_digits digits) {
    for (size_t i = 0; i < digits.size; i++)
        if (digits.text[i] != '0')
            return false;
    return digits.size > 0;
}

static void read_whole(vlad_digits digits, unsigned radix, whole *number) {
    size_t used = 1;
    *number = (whole){.words = {digits.size == 0}};
    for (size_t i = 0; i < digits.size; i++) {
        uint64_t carry = vlad_digit(digits.text[i]);
        for (size_t w = 0; w < used; w++) {
            carry += (uint64_t)number->words[w] * radix;
            number->words[w] = (uint32_t)carry;
            carry >>= WORD;
        }
        if (carry != 0)
            number->words[used++] = (uint32_t)carry;
    }
}

static int bits_of(const whole *number) {
    int w = WORDS - 1, bits = 0;
    while (w > 0 && number->words[w] == 0)
        w--;
    for (uint32_t top = number->words[w]; top != 0; top >>= 1)
        bits++;
    return w * WORD + bits;
}

static void shift_up(whole *number, int bits) {
    int words = bits / WORD, rest = bits % WORD;
    for (int w = WORDS - 1; w >= 0; w--) {
        uint64_t high = w >= words ? number->words[w - words] : 0, low = w > words ? number->words[w - words - 1] : 0;
        number->words[w] = (uint32_t)((high << WORD | low) >> (WORD - rest));
    }
}

static void halve(whole *number) {
    for (int w = 0; w < WORDS; w++)
        number->words[w] = number->words[w] >> 1 | (w + 1 < WORDS ? number->words[w + 1] << (WORD - 1) : 0);
}

static bool is_less(const whole *a, const whole *b) {
    for (int w = WORDS - 1; w >= 0; w--)
        if (a->words[w] != b->words[w])
            return a->words[w] < b->words[w];
    return false;
}

static void subtract(whole *a, const whole *b) {
    uint64_t borrow = 0;
    for (int w = 0; w < WORDS; w++) {
        uint64_t difference = (uint64_t)a->words[w] - b->words[w] - borrow;
        a->words[w] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

/* Returns the quotient, which must be below 2^QUOTIENT. Sets *left if the remainder is not zero. */
static uint64_t divide(whole *a, whole *b, bool *left) {
    uint64_t quotient = 0;
    shift_up(b, QUOTIENT - 1);
    for (int i = 0; i < QUOTIENT; i++, halve(b)) {
        bool fits = !is_less(a, b);
        quotient = quotient << 1 | fits;
        if (fits)
            subtract(a, b);
    }
    *left = bits_of(a) > 0;
    return quotient;
}

/* Rounds quotient * 2^-DEEPEST, which has two bits more than the smallest real. */
static double round_small(uint64_t quotient, bool left) {
    uint64_t units = quotient >> 2, rest = quotient & 3;
    units += rest > 2 || (rest == 2 && (left || units % 2 == 1));
    return ldexp((double)units, -FINEST);
}

double vlad_ratio(vlad_digits numerator, vlad_digits denominator, unsigned radix) {
    whole a, b;
    bool left;
    read_whole(numerator, radix, &a);
    read_whole(denominator, radix, &b);
    if (bits_of(&a) == 0)
        return 0;
    /* a / b is less than 2^(bits(a) - bits(b) + 1). */
    int shift = QUOTIENT - 1 - (bits_of(&a) - bits_of(&b));
    shift = shift < DEEPEST ? shift : DEEPEST;
    shift_up(shift > 0 ? &a : &b, shift > 0 ? shift : -shift);
    uint64_t quotient = divide(&a, &b, &left);
    if (shift == DEEPEST && quotient >> 55 == 0)
        return round_small(quotient, left);
    return ldexp((double)(quotient | left), -shift);
}
