/* See real.h. strtod accepts more than this syntax, so it is called only for text of the right form. Its decimal
 * point depends on the locale, which an embedding program may have set. */
#include "vlad/real.h"

#include "base/alloc.h"
#include "base/json.h"
#include "vlad/ratio.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer texts are copied to the heap. */
enum { HERE = 256 };

static const char *skip_digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* True for a sign, digits, a point, and an exponent with one of Scheme's letters. Sets *marker to the letter; NULL
 * if there is none. */
static bool is_decimal(const char *text, size_t size, const char **marker) {
    const char *at = text, *end = text + size;
    at += at < end && (*at == '-' || *at == '+');
    const char *whole = at;
    at = skip_digits(at, end);
    bool digits = at > whole;
    *marker = NULL;
    if (at < end && *at == '.') {
        const char *part = ++at;
        at = skip_digits(at, end);
        digits = digits || at > part;
    }
    if (digits && at < end && strchr("eEsSfFdDlL", *at) != NULL && *at != '\0') {
        *marker = at++;
        at += at < end && (*at == '-' || *at == '+');
        const char *power = at;
        at = skip_digits(at, end);
        digits = at > power;
    }
    return digits && at == end;
}

static vlad_literal read_decimal(const char *text, size_t size, const char *marker, double *number) {
    char here[HERE], *copy = size < HERE ? here : verso__alloc(size + 1, 1);
    if (copy == NULL)
        return VLAD_LITERAL_NO_MEMORY;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (marker != NULL)
        copy[marker - text] = 'e';
    const char *point = localeconv()->decimal_point;
    char *at = strchr(copy, '.');
    if (at != NULL && point[1] == '\0')
        *at = point[0];
    *number = strtod(copy, NULL);
    if (copy != here)
        verso__dealloc(copy);
    return isinf(*number) ? VLAD_LITERAL_TOO_LARGE : VLAD_LITERAL_READ;
}

/* Skips Scheme's prefixes: #b #o #d #x set the radix; #e #i have no effect, since all numbers are reals. Returns
 * false for any other prefix. */
static bool skip_prefixes(const char **at, const char *end, unsigned *radix) {
    bool exactness = false;
    *radix = 0;
    for (; *at < end && **at == '#'; *at += 2) {
        char letter = end - *at > 1 ? (*at)[1] : '\0';
        unsigned chosen = letter == 'b' || letter == 'B'   ? 2
                          : letter == 'o' || letter == 'O' ? 8
                          : letter == 'd' || letter == 'D' ? 10
                          : letter == 'x' || letter == 'X' ? 16
                                                           : 0;
        if (chosen != 0 ? *radix != 0 : exactness || letter == '\0' || strchr("eEiI", letter) == NULL)
            return false;
        *radix = chosen != 0 ? chosen : *radix;
        exactness = exactness || chosen == 0;
    }
    *radix = *radix == 0 ? 10 : *radix;
    return true;
}

static vlad_digits take_digits(const char **at, const char *end, unsigned radix) {
    vlad_digits digits = {.text = *at};
    while (*at < end && vlad_digit(**at) < radix)
        ++*at;
    digits.size = (size_t)(*at - digits.text);
    return digits;
}

/* Reads an integer, or a ratio of two. */
static vlad_literal read_exact(const char *at, const char *end, unsigned radix, double *number) {
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    vlad_digits below = {0}, above = take_digits(&at, end, radix);
    if (above.size > 0 && at < end && *at == '/') {
        at++;
        below = take_digits(&at, end, radix);
        if (below.size == 0)
            return VLAD_LITERAL_NONE;
    }
    if (above.size == 0 || at < end)
        return VLAD_LITERAL_NONE;
    if (above.size > VLAD_RATIO_LONGEST || below.size > VLAD_RATIO_LONGEST)
        return VLAD_LITERAL_TOO_LONG;
    if (vlad_is_zero(below))
        return VLAD_LITERAL_BY_ZERO;
    double size = vlad_ratio(above, below, radix);
    *number = negative ? -size : size;
    return isinf(size) ? VLAD_LITERAL_TOO_LARGE : VLAD_LITERAL_READ;
}

static bool read_special(const char *at, const char *end, double *number) {
    static const struct {
        const char *text;
        double number;
    } specials[] = {{"+inf.0", INFINITY}, {"-inf.0", -INFINITY}, {"+nan.0", NAN}, {"-nan.0", NAN}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if ((size_t)(end - at) == strlen(specials[i].text) && strncmp(at, specials[i].text, (size_t)(end - at)) == 0) {
            *number = specials[i].number;
            return true;
        }
    return false;
}

vlad_literal vlad_read_real(const char *text, size_t size, double *number) {
    const char *at = text, *end = text + size, *marker;
    unsigned radix;
    if (!skip_prefixes(&at, end, &radix))
        return VLAD_LITERAL_NONE;
    if (read_special(at, end, number))
        return VLAD_LITERAL_READ;
    if (radix == 10 && is_decimal(at, (size_t)(end - at), &marker))
        return read_decimal(at, (size_t)(end - at), marker, number);
    return read_exact(at, end, radix, number);
}

verso__number vlad_real_text(double number) {
    verso__number text = {.text = ""};
    if (isfinite(number) && (number != 0 || !signbit(number)))
        return verso__shortest(number);
    strcpy(text.text, isnan(number) ? "+nan.0" : number == 0 ? "-0" : number > 0 ? "+inf.0" : "-inf.0");
    return text;
}
