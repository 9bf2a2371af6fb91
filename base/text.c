/* See text.h. printf is used only for strings and integers, because the decimal point that it prints depends on
 * the locale. */
#include "base/text.h"

#include "base/alloc.h"
#include "base/wide.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SINK_BUFFER = 16384, LONGEST_PRINT = 512 };

static void flush(verso__text *text) {
    if (text->status == VERSO_STATUS_OK && text->size > 0)
        text->status = text->sink(text->context, text->bytes, text->size);
    text->size = 0;
}

/* Makes room for at least one more byte. Returns the number of bytes that fit; 0 if there is no memory. */
static size_t make_room(verso__text *text) {
    if (text->size == text->capacity && text->sink != NULL && text->capacity > 0)
        flush(text);
    if (text->size == text->capacity) {
        size_t capacity = text->capacity == 0 ? SINK_BUFFER : 2 * text->capacity;
        char *bytes = verso__realloc(text->bytes, capacity, 1);
        if (bytes == NULL) {
            text->status = VERSO_STATUS_NO_MEMORY;
            return 0;
        }
        text->bytes = bytes;
        text->capacity = capacity;
    }
    return text->capacity - text->size;
}

void verso__text_add(verso__text *text, const char *bytes, size_t size) {
    while (size > 0 && text->status == VERSO_STATUS_OK) {
        size_t room = make_room(text);
        size_t part = size < room ? size : room;
        if (part > 0)
            memcpy(text->bytes + text->size, bytes, part);
        text->size += part;
        bytes += part;
        size -= part;
    }
}

void verso__text_string(verso__text *text, const char *string) {
    verso__text_add(text, string, strlen(string));
}

void verso__text_escaped(verso__text *text, const char *string) {
    for (; *string != '\0'; string++) {
        switch (*string) {
        case '<': verso__text_string(text, "&lt;"); break;
        case '>': verso__text_string(text, "&gt;"); break;
        case '&': verso__text_string(text, "&amp;"); break;
        case '"': verso__text_string(text, "&quot;"); break;
        default: verso__text_add(text, string, 1);
        }
    }
}

void verso__text_print(verso__text *text, const char *format, ...) {
    char line[LONGEST_PRINT];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size > 0)
        verso__text_add(text, line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1);
}

void verso__text_move(verso__text *text, verso__text *kept) {
    if (text->status == VERSO_STATUS_OK)
        text->status = kept->status;
    verso__text_add(text, kept->bytes, kept->size);
    verso__dealloc(kept->bytes);
    *kept = (verso__text){0};
}

verso_status verso__text_close(verso__text *text) {
    if (text->sink != NULL)
        flush(text);
    verso__dealloc(text->bytes);
    text->bytes = NULL;
    text->size = text->capacity = 0;
    return text->status;
}

/* ---- Numbers ---- */

/* Prints the digits as an integer and inserts the decimal point, because that of %f depends on the locale. */
verso__number verso__decimal(double value, int decimals) {
    double scale = pow(10, decimals);
    bool negative = value < 0;
    double scaled = floor(fabs(value) * scale + 0.5);
    verso__number number;
    if (!(scaled < 1e18)) { /* too large for decimals to matter, or NaN */
        snprintf(number.text, sizeof number.text, "%s%.0f", negative ? "-" : "", fmin(fabs(value), 1e50));
        return number;
    }
    uint64_t digits = (uint64_t)scaled;
    uint64_t unit = (uint64_t)scale;
    const char *sign = negative && digits > 0 ? "-" : "";
    if (decimals == 0)
        snprintf(number.text, sizeof number.text, "%s%llu", sign, (unsigned long long)digits);
    else
        snprintf(number.text, sizeof number.text, "%s%llu.%0*llu", sign, (unsigned long long)(digits / unit), decimals,
                 (unsigned long long)(digits % unit));
    return number;
}

/* Removes trailing zeros after the decimal point, and the point itself if it becomes the last character. */
static void trim_zeros(char *digits) {
    if (strchr(digits, '.') == NULL)
        return;
    size_t size = strlen(digits);
    while (digits[size - 1] == '0')
        size--;
    if (digits[size - 1] == '.')
        size--;
    digits[size] = '\0';
}

verso__number verso__pixel(double value) {
    verso__number number = verso__decimal(value, 2);
    trim_zeros(number.text);
    return number;
}

verso__number verso__grouped(verso__wide value) {
    char digits[VERSO_WIDE_TEXT];
    verso__wide_text(value, digits);
    verso__number number;
    char *end = number.text;
    for (size_t left = strlen(digits), i = 0; left > 0; left--, i++) {
        *end++ = digits[i];
        if (left % 3 == 1 && left > 1)
            *end++ = ',';
    }
    *end = '\0';
    return number;
}

verso__number verso__tick(double value, double most) {
    static const char *const suffixes[] = {"", "k", "M", "G", "T", "P"};
    verso__number number;
    if (most < 1e5 && value == floor(value))
        return verso__grouped((verso__wide)value);
    if (value > 0 && value < 1e18) { /* round to four significant digits, before the unit is chosen */
        double unit = pow(10, floor(log10(value)) - 3);
        value = floor(value / unit + 0.5) * unit;
    }
    if (value >= 1e18) {
        int exponent = (int)floor(log10(value) + 1e-9);
        number = verso__pixel(value / pow(10, exponent));
        size_t size = strlen(number.text);
        snprintf(number.text + size, sizeof number.text - size, "e%d", exponent);
        return number;
    }
    size_t thousands = 0;
    for (; value >= 1000; thousands++)
        value /= 1000;
    number = verso__decimal(value, 3);
    trim_zeros(number.text);
    strcat(number.text, suffixes[thousands]);
    return number;
}

static verso__number with_unit(verso__number number, const char *unit) {
    trim_zeros(number.text);
    strcat(number.text, unit);
    return number;
}

verso__number verso__bytes(double value) {
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    if (!(value >= 0 && value < 1e24))
        return (verso__number){"?"};
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    return with_unit(verso__decimal(value, unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2), units[unit]);
}

/* Formats integers in two units and omits the smaller one if it is 0: "4 min 5 s", "2 h". */
static verso__number in_two_units(uint64_t value, uint64_t ratio, const char *large, const char *small) {
    verso__number number;
    int size = snprintf(number.text, sizeof number.text, "%llu %s", (unsigned long long)(value / ratio), large);
    if (value % ratio != 0)
        snprintf(number.text + size, sizeof number.text - (size_t)size, " %llu %s", (unsigned long long)(value % ratio),
                 small);
    return number;
}

verso__number verso__duration(double seconds) {
    if (!(seconds >= 0 && seconds < 1e24))
        return (verso__number){"?"};
    if (seconds < 0.9995 && seconds > 0)
        return with_unit(verso__decimal(1000 * seconds, seconds < 0.00995 ? 2 : 0), " ms");
    if (seconds < 59.95)
        return with_unit(verso__decimal(seconds, 1), " s");
    if (seconds < 3599.5)
        return in_two_units((uint64_t)(seconds + 0.5), 60, "min", "s");
    double minutes = floor(seconds / 60 + 0.5), hours = floor(seconds / 3600 + 0.5);
    if (minutes < 24 * 60)
        return in_two_units((uint64_t)minutes, 60, "h", "min");
    if (hours < 100 * 24)
        return in_two_units((uint64_t)hours, 24, "d", "h");
    return with_unit(verso__tick(floor(hours / 24), hours / 24), " d");
}
