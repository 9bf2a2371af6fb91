/* See real.h. strtod knows more than we allow, and is asked only for what has the right form; the point is another one
 * where a program that embeds us has set a locale. */
#include "vlad/real.h"

#include "base/alloc.h"
#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer texts are copied elsewhere. */
enum { HERE = 256 };

static const char *skip_digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

bool vlad_is_real_text(const char *text, size_t size) {
    const char *at = text, *end = text + size;
    at += at < end && (*at == '-' || *at == '+');
    const char *whole = at;
    at = skip_digits(at, end);
    bool digits = at > whole;
    if (at < end && *at == '.') {
        const char *part = ++at;
        at = skip_digits(at, end);
        digits = digits || at > part;
    }
    if (digits && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        const char *power = at;
        at = skip_digits(at, end);
        digits = at > power;
    }
    return digits && at == end;
}

bool vlad_read_real(const char *text, size_t size, double *number) {
    char here[HERE], *copy = size < HERE ? here : verso_alloc(size + 1, 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    const char *point = localeconv()->decimal_point;
    char *at = strchr(copy, '.');
    if (at != NULL && point[1] == '\0')
        *at = point[0];
    *number = strtod(copy, NULL);
    if (copy != here)
        verso_dealloc(copy);
    return true;
}

verso_number vlad_real_text(double number) {
    verso_number text = {.text = ""};
    if (isfinite(number) && (number != 0 || !signbit(number)))
        return verso_shortest(number);
    strcpy(text.text, isnan(number) ? "nan" : number == 0 ? "-0" : number > 0 ? "inf" : "-inf");
    return text;
}
