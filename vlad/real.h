/* Reals as text, in programs, input and output alike. */
#ifndef VLAD_REAL_H
#define VLAD_REAL_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* All of the text is a number: digits with or without a sign, a point, an exponent: -2.5e3, .5, 1. */
bool vlad_is_real_text(const char *text, size_t size);
/* Of such a text. False: no memory. */
bool vlad_read_real(const char *text, size_t size, double *number);
/* The shortest that reads back as the same bits; inf, -inf, nan. */
verso_number vlad_real_text(double number);

#endif
