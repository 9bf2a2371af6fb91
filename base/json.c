/* See json.h. */
#include "base/json.h"
#include "base/wide.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layout ---- */

static void begin_value(verso__json *json, const char *name) {
    if (json->depth == 1)
        verso__text_string(json->text, json->follows ? ",\n  " : "\n  ");
    else if (json->follows)
        verso__text_string(json->text, ", ");
    if (name != NULL)
        verso__text_print(json->text, "\"%s\": ", name);
    json->follows = true;
}

void verso__json_open(verso__json *json, const char *name, char bracket) {
    begin_value(json, name);
    verso__text_add(json->text, &bracket, 1);
    json->depth++;
    json->follows = false;
}

void verso__json_close(verso__json *json, char bracket) {
    json->depth--;
    if (json->depth == 0)
        verso__text_string(json->text, "\n");
    verso__text_add(json->text, &bracket, 1);
    json->follows = true;
}

/* ---- Values ---- */

void verso__json_null(verso__json *json, const char *name) {
    begin_value(json, name);
    verso__text_string(json->text, "null");
}

void verso__json_bool(verso__json *json, const char *name, bool value) {
    begin_value(json, name);
    verso__text_string(json->text, value ? "true" : "false");
}

void verso__json_wide(verso__json *json, const char *name, verso__wide value) {
    char digits[VERSO_WIDE_TEXT];
    begin_value(json, name);
    verso__text_string(json->text, verso__wide_text(value, digits));
}

void verso__json_known(verso__json *json, const char *name, uint64_t value) {
    if (value == UINT64_MAX)
        verso__json_null(json, name);
    else
        verso__json_wide(json, name, value);
}

void verso__json_double(verso__json *json, const char *name, double value) {
    if (!isfinite(value)) {
        verso__json_null(json, name);
        return;
    }
    begin_value(json, name);
    verso__text_string(json->text, verso__shortest(value).text);
}

/* ---- Doubles ---- */

enum { DIGITS_MAX = 17 }; /* significant digits that identify any double */

/* Finds the fewest significant digits that read back as `value` (finite, > 0), and the exponent of d.ddd *
 * 10^exponent. Ignores the decimal point in printf's output, which depends on the locale. */
static size_t find_digits(double value, char digits[DIGITS_MAX + 1], int *exponent) {
    char printed[64];
    /* A number with up to 15 digits survives conversion to a normal double. Starting with 15 is therefore
     * enough: a shorter number then ends in zeros, which are removed below. */
    for (int precision = value < DBL_MIN ? 0 : DBL_DIG - 1; precision < DIGITS_MAX; precision++) {
        snprintf(printed, sizeof printed, "%.*e", precision, value);
        if (strtod(printed, NULL) == value)
            break;
    }
    size_t count = 0;
    const char *at = printed;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    *exponent = atoi(at + 1);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    return count;
}

/* Writes 0.00012, 1234.5 and 1200 without an exponent, unless that takes too many digits. */
verso__number verso__shortest(double value) {
    verso__number number = {"0"};
    if (value == 0)
        return number;
    char digits[DIGITS_MAX + 1];
    int exponent;
    int count = (int)find_digits(fabs(value), digits, &exponent);
    char *end = number.text;
    if (value < 0)
        *end++ = '-';
    size_t room = sizeof number.text - 1;
    if (exponent < -5 || exponent > 20)
        snprintf(end, room, "%c%s%se%d", digits[0], count > 1 ? "." : "", digits + 1, exponent);
    else if (exponent < 0)
        snprintf(end, room, "0.%.*d%s", -exponent - 1, 0, digits);
    else if (count <= exponent + 1)
        snprintf(end, room, "%s%.*d", digits, exponent + 1 - count, 0);
    else
        snprintf(end, room, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    return number;
}

/* ---- Strings ---- */

/* Returns the length in bytes of the UTF-8 character at `at`; 0 if it is malformed (Unicode 15, table 3-7). */
static size_t character_size(const unsigned char *at) {
    if (at[0] < 0x80)
        return 1;
    size_t size = at[0] >= 0xC2 && at[0] <= 0xDF ? 2 : at[0] >> 4 == 0xE ? 3 : at[0] >= 0xF0 && at[0] <= 0xF4 ? 4 : 0;
    unsigned char least = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char most = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : 0xBF;
    for (size_t i = 1; i < size; i++, least = 0x80, most = 0xBF)
        if (at[i] < least || at[i] > most)
            return 0;
    return size;
}

void verso__json_string(verso__json *json, const char *name, const char *value) {
    begin_value(json, name);
    verso__text_string(json->text, "\"");
    while (*value != '\0') {
        size_t size = character_size((const unsigned char *)value);
        if (size == 0)
            verso__text_string(json->text, "\xEF\xBF\xBD");
        else if (*value == '"' || *value == '\\')
            verso__text_print(json->text, "\\%c", *value);
        else if ((unsigned char)*value < ' ')
            verso__text_print(json->text, "\\u%04x", (unsigned)*value);
        else
            verso__text_add(json->text, value, size);
        value += size > 0 ? size : 1;
    }
    verso__text_string(json->text, "\"");
}
