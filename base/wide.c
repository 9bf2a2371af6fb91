/* Formats 128-bit integers, which C's printf cannot print. */
#include "base/wide.h"

#include <string.h>

char *verso__wide_text(verso__wide value, char text[VERSO_WIDE_TEXT]) {
    char digits[VERSO_WIDE_TEXT];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    memcpy(text, digits + at, sizeof digits - at);
    return text;
}

char *verso_wide_text(verso_wide value, char text[VERSO_WIDE_TEXT]) {
    return verso__wide_text(verso__wide_read(value), text);
}
