/* Prints large numbers exactly, with all their digits. base/quantity.h reads them. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include "base/wide.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Prints value / 10^decimals with all digits, without trailing zeros; `grouped` inserts commas between thousands. */
void cli_print_decimal(FILE *out, verso__wide value, unsigned decimals, bool grouped);
/* Prints a whole number; the second one with commas between thousands. */
void cli_print_wide(FILE *out, verso__wide value);
void cli_print_grouped(FILE *out, verso__wide value);
/* Prints part / whole with two decimals, rounded to nearest. `whole` must not be 0. */
void cli_print_ratio(FILE *out, verso__wide part, uint64_t whole);

#endif
