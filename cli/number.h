/* Numbers on the command line: read exactly, and printed exactly. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <verso/schedule.h>

#include <stdio.h>

enum { CLI_DECIMALS_MAX = 9 };

/* digits * 10^exponent; digits do not end in 0. */
typedef struct cli_number {
    uint64_t digits;
    int exponent;
} cli_number;

/* All of these return NULL, or what is wrong with the number: the rest of a sentence that begins with the number. */

/* `length` characters of text: 1000000, 1e6, 1M, 2.5k, 0.25. Suffixes k, M, G, T are powers of 1000. */
const char *cli_number_read(const char *text, size_t length, cli_number *number);
/* A number that must be whole and below VERSO_UNKNOWN. */
const char *cli_number_whole(cli_number number, uint64_t *value);
/* A number times 10^decimals, which must be whole and below VERSO_UNKNOWN. */
const char *cli_number_scaled(cli_number number, unsigned decimals, uint64_t *value);
/* How many decimals it has; more than CLI_DECIMALS_MAX is wrong. */
const char *cli_number_decimals(cli_number number, unsigned *decimals);

/* value / 10^decimals with all its digits and no needless zeros; `grouped` puts a comma between thousands. */
void cli_print_decimal(FILE *out, verso_wide value, unsigned decimals, bool grouped);
void cli_print_wide(FILE *out, verso_wide value);
void cli_print_grouped(FILE *out, verso_wide value);
/* part / whole with two decimals, rounded to nearest; whole is not 0. */
void cli_print_ratio(FILE *out, verso_wide part, uint64_t whole);

#endif
