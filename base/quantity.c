/* See quantity.h.
 *
 * Costs are exact integers in the library, so a decimal is never converted to floating point: 0.1 is kept as 1
 * * 10^-1, and a caller with several costs multiplies them all by the same power of ten. */
#include "base/quantity.h"

#include "base/status.h"

#include "base/wide.h"
#include <stdbool.h>
#include <string.h>

static const char not_a_number[] = "is not a number (write 1000000, 1e6 or 1M)";
static const char too_large[] = "is too large";

/* Accepted times: from a microsecond to about thirty thousand years. */
#define SECONDS_LEAST 1e-6
#define SECONDS_MOST 1e12

enum { EXPONENT_MAX = 9999 }; /* far beyond what fits into 64 bits, and far below what overflows an int */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool times_ten(uint64_t *value, unsigned add) {
    return !__builtin_mul_overflow(*value, (uint64_t)10, value) &&
           !__builtin_add_overflow(*value, (uint64_t)add, value);
}

/* The state of reading one number. Zeros are counted in `zeros` until another digit follows, so that a number
 * with many trailing zeros does not overflow `digits`. */
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

const char *verso__quantity_read(const char *text, size_t length, verso__quantity *quantity) {
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
    *quantity = (verso__quantity){.digits = r.digits, .exponent = r.digits ? exponent + r.zeros : 0};
    return NULL;
}

const char *verso__quantity_scaled(verso__quantity quantity, unsigned decimals, uint64_t *value) {
    int exponent = quantity.exponent + (int)decimals;
    if (quantity.digits && exponent < 0)
        return "is not a whole number";
    *value = quantity.digits;
    for (int i = 0; quantity.digits && i < exponent; i++)
        if (!times_ten(value, 0))
            return too_large;
    return *value == UINT64_MAX ? too_large : NULL;
}

const char *verso__quantity_whole(verso__quantity quantity, uint64_t *value) {
    return verso__quantity_scaled(quantity, 0, value);
}

const char *verso__quantity_decimals(verso__quantity quantity, unsigned *decimals) {
    if (quantity.exponent < -VERSO_DECIMALS_MAX)
        return "has more than 9 decimals";
    *decimals = quantity.exponent < 0 ? (unsigned)-quantity.exponent : 0;
    return NULL;
}

/* ---- Bytes ---- */

static const char not_a_size[] = "is not a number of bytes (write 64000000, 64M or 64Mi)";

/* Sets *bytes to the number times 2^shift, which must be an integer below UINT64_MAX. */
static const char *binary_bytes(verso__quantity quantity, unsigned shift, uint64_t *bytes) {
    verso__wide value = (verso__wide)quantity.digits << shift;
    for (int i = 0; quantity.digits && i < quantity.exponent; i++) {
        value *= 10;
        if (value >= UINT64_MAX)
            return too_large;
    }
    for (int i = 0; quantity.digits && i > quantity.exponent; i--) {
        if (value % 10 != 0)
            return "is not a whole number of bytes";
        value /= 10;
    }
    *bytes = (uint64_t)value;
    return value >= UINT64_MAX ? too_large : NULL;
}

const char *verso__bytes_read(const char *text, size_t length, uint64_t *bytes) {
    static const char letters[] = "KMGT";
    const char *letter = NULL;
    if (length > 1 && text[length - 1] == 'B')
        length--;
    if (length > 2 && text[length - 1] == 'i' && text[length - 2] != '\0')
        letter = text[length - 2] == 'k' ? letters : strchr(letters, text[length - 2]);
    verso__quantity quantity;
    const char *problem = verso__quantity_read(text, letter != NULL ? length - 2 : length, &quantity);
    if (problem != NULL)
        return problem == not_a_number ? not_a_size : problem;
    return binary_bytes(quantity, letter != NULL ? 10 * (unsigned)(letter - letters + 1) : 0, bytes);
}

verso_status verso__memory_read(const char *name, const char *text, uint64_t *memory, verso_error *error) {
    const char *problem = verso__bytes_read(text, strlen(text), memory);
    if (problem == NULL && *memory == 0)
        problem = "must be greater than 0";
    return problem == NULL ? VERSO_STATUS_OK
                           : verso__fail(error, VERSO_STATUS_INVALID, "%s: '%s' %s", name, text, problem);
}

/* ---- Seconds ---- */

verso_status verso__seconds_read(const char *name, const char *text, double *seconds, verso_error *error) {
    verso__quantity quantity;
    const char *problem = verso__quantity_read(text, strlen(text), &quantity);
    double value = 0;
    if (problem == NULL && quantity.digits == 0)
        problem = "must be greater than 0 (write a number of seconds, such as 60 or 0.5)";
    if (problem == NULL) {
        value = (double)quantity.digits;
        for (int i = 0; i < quantity.exponent && value < SECONDS_MOST; i++)
            value *= 10;
        for (int i = 0; i > quantity.exponent && value > 0; i--)
            value /= 10;
        if (value >= SECONDS_MOST)
            problem = too_large;
        else if (value < SECONDS_LEAST)
            problem = "is too small";
    }
    if (problem != NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "%s: '%s' %s", name, text,
                           problem == not_a_number ? "is not a number of seconds (write 60 or 0.5)" : problem);
    *seconds = value;
    return VERSO_STATUS_OK;
}
