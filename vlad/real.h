/* Reals as text, in programs, input and output. */
#ifndef VLAD_REAL_H
#define VLAD_REAL_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum vlad_literal {
    VLAD_LITERAL_READ,
    VLAD_LITERAL_NONE,      /* the text is not a number */
    VLAD_LITERAL_TOO_LARGE, /* a number too large for a double, read as infinity */
    VLAD_LITERAL_TOO_LONG,  /* a ratio, or an integer in another radix, with too many digits */
    VLAD_LITERAL_BY_ZERO,   /* a ratio with denominator 0 */
    VLAD_LITERAL_NO_MEMORY
} vlad_literal;

/* Reads the whole text as a real in Scheme's syntax: -2.5e3, .5, 1., 1/3, #x10, +inf.0, +nan.0. Numbers that are
 * exact in Scheme are rounded to the nearest real. */
vlad_literal vlad_read_real(const char *text, size_t size, double *number);
/* Returns the shortest text that reads back as the same bits; +inf.0, -inf.0, +nan.0. */
verso__number vlad_real_text(double number);

#endif
