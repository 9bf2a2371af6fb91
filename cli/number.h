/* Numbers printed exactly; base/quantity.h reads them. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <verso/wide.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* value / 10^decimals with all its digits and no needless zeros; `grouped` puts a comma between thousands. */
void cli_print_decimal(FILE *out, verso_wide value, unsigned decimals, bool grouped);
void cli_print_wide(FILE *out, verso_wide value);
void cli_print_grouped(FILE *out, verso_wide value);
/* part / whole with two decimals, rounded to nearest; whole is not 0. */
void cli_print_ratio(FILE *out, verso_wide part, uint64_t whole);

#endif
