/* The real nearest to a ratio of two integers, which are written in any radix. */
#ifndef VLAD_RATIO_H
#define VLAD_RATIO_H

#include <stdbool.h>
#include <stddef.h>

/* maximum number of characters of numerator and denominator, each */
enum { VLAD_RATIO_LONGEST = 4096 };

/* The digits of an integer. */
typedef struct vlad_digits {
    const char *text;
    size_t size; /* 0: the number is 1 */
} vlad_digits;

/* Returns the value of a digit; 16 if it is not a digit in any radix. */
unsigned vlad_digit(char c);

/* Returns the ratio, rounded once, to even; infinity if it is too large. All digits must be valid in the radix (2,
 * 8, 10 or 16). The denominator must not be 0. */
double vlad_ratio(vlad_digits numerator, vlad_digits denominator, unsigned radix);

/* True if all digits are 0. */
bool vlad_is_zero(vlad_digits digits);

#endif
