/* Implements number.h. */
#include "cli/number.h"
#include "base/wide.h"

#include <string.h>

void cli_print_decimal(FILE *out, verso__wide value, unsigned decimals, bool grouped) {
    for (; decimals > 0 && value % 10 == 0; decimals--)
        value /= 10;
    verso__wide unit = 1;
    for (unsigned i = 0; i < decimals; i++)
        unit *= 10;

    char text[VERSO_WIDE_TEXT];
    size_t length = strlen(verso__wide_text(value / unit, text));
    for (size_t i = 0; i < length; i++) {
        if (grouped && i > 0 && (length - i) % 3 == 0)
            fputc(',', out);
        fputc(text[i], out);
    }
    if (decimals > 0)
        fprintf(out, ".%0*llu", (int)decimals, (unsigned long long)(value % unit));
}

void cli_print_wide(FILE *out, verso__wide value) {
    cli_print_decimal(out, value, 0, false);
}

void cli_print_grouped(FILE *out, verso__wide value) {
    cli_print_decimal(out, value, 0, true);
}

void cli_print_ratio(FILE *out, verso__wide part, uint64_t whole) {
    verso__wide quotient = part / whole, rest = part % whole; /* rest < 2^64, so rest * 100 does not overflow */
    verso__wide hundredths = (rest * 100 + whole / 2) / whole;
    cli_print_grouped(out, quotient + hundredths / 100);
    fprintf(out, ".%02u", (unsigned)(hundredths % 100));
}
