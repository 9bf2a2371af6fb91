/* See real.h. strtod knows more than we allow, and is asked only for what has the right form; the point is one in the C
 * locale, which programs that embed us may have left. */
#include "vlad/real.h"

#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t digits(const char *text, size_t at, size_t size) {
    size_t end = at;
    while (end < size && text[end] >= '0' && text[end] <= '9')
        end++;
    return end - at;
}

/* The form of a number; *point: where its point is, or `size`. */
static bool has_form(const char *text, size_t size, size_t *point) {
    size_t at = size > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0, whole = digits(text, at, size), part = 0;
    at += whole;
    *point = size;
    if (at < size && text[at] == '.') {
        *point = at;
        part = digits(text, at + 1, size);
        at += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < size && (text[at] == '-' || text[at] == '+') ? 1 : 0;
        size_t exponent = digits(text, at, size);
        at += exponent;
        if (exponent == 0)
            return false;
    }
    return at == size;
}

bool vlad_parse_real(const char *text, size_t size, double *number) {
    static const struct {
        const char *text;
        double number;
    } others[] = {{"inf", INFINITY}, {"+inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}};
    char copy[512];
    size_t point;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].text) == size && memcmp(text, others[i].text, size) == 0) {
            *number = others[i].number;
            return true;
        }
    if (size >= sizeof copy || !has_form(text, size, &point))
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    const char *here = localeconv()->decimal_point;
    if (point < size && here[0] != '.' && here[1] == '\0')
        copy[point] = here[0];
    *number = strtod(copy, NULL);
    return true;
}

verso_number vlad_real_text(double number) {
    verso_number text = {.text = ""};
    if (isfinite(number) && (number != 0 || !signbit(number)))
        return verso_shortest(number);
    strcpy(text.text, isnan(number) ? "nan" : number == 0 ? "-0" : number > 0 ? "inf" : "-inf");
    return text;
}
