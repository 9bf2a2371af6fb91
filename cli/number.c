/* Numbers on the command line: read exactly, and printed exactly.
 *
 * Costs are exact integers in the library, so a decimal must never pass through a floating-point number: 0.1 is kept as
 * 1 * 10^-1, and the plan multiplies all its costs by one power of ten. */
#include "cli/number.h"

#include <string.h>

static const char not_a_number[] = "is not a number (write 1000000, 1e6 or 1M)";
static const char too_large[] = "is too large";

enum { EXPONENT_MAX = 9999 }; /* far beyond what fits, and far below what overflows an int */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool times_ten(uint64_t *value, unsigned add) {
    return !__builtin_mul_overflow(*value, (uint64_t)10, value) &&
           !__builtin_add_overflow(*value, (uint64_t)add, value);
}

/* Zeros wait until a digit follows them, so that 1000…0 is not too large while it is being read. */
typedef struct reader {
    const char *at, *end;
    uint64_t digits;
    int zeros;
    int digit_count;
} reader;

static bool read_digits(reader *r) {
    for (; r->at < r->end && is_digit(*r->at); r->at++, r->digit_count++) {
        if (*r->at == '0') {
            r->zeros++;
            continue;
        }
        if (r->digits == 0)
            r->zeros = 0;
        for (; r->zeros > 0; r->zeros--)
            if (!times_ten(&r->digits, 0))
                return false;
        if (!times_ten(&r->digits, (unsigned)(*r->at - '0')))
            return false;
    }
    return true;
}

static bool read_exponent(reader *r, int *exponent) {
    r->at++;
    bool negative = r->at < r->end && *r->at == '-';
    if (r->at < r->end && (*r->at == '-' || *r->at == '+'))
        r->at++;
    if (r->at == r->end || !is_digit(*r->at))
        return false;
    int value = 0;
    for (; r->at < r->end && is_digit(*r->at); r->at++)
        if (value <= EXPONENT_MAX)
            value = value * 10 + (*r->at - '0');
    *exponent += negative ? -value : value;
    return true;
}

static void read_suffix(reader *r, int *exponent) {
    static const char suffixes[] = "kMGT";
    if (r->at == r->end)
        return;
    const char *suffix = *r->at == 'K' ? suffixes : strchr(suffixes, *r->at);
    if (!suffix || !*suffix)
        return;
    *exponent += 3 * (int)(suffix - suffixes + 1);
    r->at++;
}

const char *cli_number_read(const char *text, size_t length, cli_number *number) {
    reader r = {.at = text, .end = text + length};
    if (length > EXPONENT_MAX)
        return "is too long for a number";
    if (length > 1 && text[0] == '-' && is_digit(text[1]))
        return "is negative";
    int exponent = 0;
    bool fits = read_digits(&r);
    if (fits && r.at < r.end && *r.at == '.') {
        r.at++;
        int before = r.digit_count;
        fits = read_digits(&r);
        exponent = before - r.digit_count;
        if (fits && exponent == 0)
            return not_a_number;
    }
    if (!fits)
        return "has too many digits";
    if (r.digit_count == 0 || (r.at < r.end && (*r.at == 'e' || *r.at == 'E') && !read_exponent(&r, &exponent)))
        return not_a_number;
    read_suffix(&r, &exponent);
    if (r.at != r.end)
        return not_a_number;
    *number = (cli_number){.digits = r.digits, .exponent = r.digits ? exponent + r.zeros : 0};
    return NULL;
}

const char *cli_number_scaled(cli_number number, unsigned decimals, uint64_t *value) {
    int exponent = number.exponent + (int)decimals;
    if (number.digits && exponent < 0)
        return "is not a whole number";
    *value = number.digits;
    for (int i = 0; number.digits && i < exponent; i++)
        if (!times_ten(value, 0))
            return too_large;
    return *value == VERSO_UNKNOWN ? too_large : NULL;
}

const char *cli_number_whole(cli_number number, uint64_t *value) {
    return cli_number_scaled(number, 0, value);
}

const char *cli_number_decimals(cli_number number, unsigned *decimals) {
    if (number.exponent < -CLI_DECIMALS_MAX)
        return "has more than 9 decimals";
    *decimals = number.exponent < 0 ? (unsigned)-number.exponent : 0;
    return NULL;
}

void cli_print_decimal(FILE *out, verso_wide value, unsigned decimals, bool grouped) {
    for (; decimals > 0 && value % 10 == 0; decimals--)
        value /= 10;
    verso_wide unit = 1;
    for (unsigned i = 0; i < decimals; i++)
        unit *= 10;

    char text[VERSO_WIDE_TEXT];
    size_t length = strlen(verso_wide_text(value / unit, text));
    for (size_t i = 0; i < length; i++) {
        if (grouped && i > 0 && (length - i) % 3 == 0)
            fputc(',', out);
        fputc(text[i], out);
    }
    if (decimals > 0)
        fprintf(out, ".%0*llu", (int)decimals, (unsigned long long)(value % unit));
}

void cli_print_wide(FILE *out, verso_wide value) {
    cli_print_decimal(out, value, 0, false);
}

void cli_print_grouped(FILE *out, verso_wide value) {
    cli_print_decimal(out, value, 0, true);
}

void cli_print_ratio(FILE *out, verso_wide part, uint64_t whole) {
    verso_wide quotient = part / whole, rest = part % whole; /* rest is below 2^64, so times 100 it still fits */
    verso_wide hundredths = (rest * 100 + whole / 2) / whole;
    cli_print_grouped(out, quotient + hundredths / 100);
    fprintf(out, ".%02u", (unsigned)(hundredths % 100));
}
