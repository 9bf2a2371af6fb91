/* Reads numbers from lists and files, and converts them to the type of a parameter. A number is converted once, from
 * its text to its final type, so it equals the same literal in the program. */
#include "cli/derive.h"

#include "base/quantity.h"
#include "cli/message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A text that numbers point into. */
typedef struct derive_source {
    struct derive_source *before; /* the source read before this one; NULL: none */
    const char *name;             /* name of the file; NULL: the command line */
    const char *text, *end;       /* first byte, and the byte after the last */
} derive_source;

/* ---- Splitting ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool ends_number(char c) {
    return c == '\0' || c == ',' || c == '#' || is_blank(c);
}

static size_t line_of(const derive_source *source, const char *at) {
    size_t line = 1;
    for (const char *c = source->text; c < at; c++)
        line += *c == '\n';
    return line;
}

/* The place of a number for messages: `what` ("--at x"), or "points.txt:12". */
static const char *place(derive *task, const char *what, const derive_source *source, const char *at) {
    if (source && source->name)
        return cli_region_print(&task->region, "%s:%zu", source->name, line_of(source, at));
    return what;
}

static void add_number(derive *task, derive_numbers *numbers, const char *at) {
    numbers->at = cli_region_grow(&task->region, numbers->at, numbers->count, sizeof *numbers->at);
    numbers->at[numbers->count++] = at;
}

/* Splits a text into numbers, separated by white space or single commas; # begins a comment. */
static int split(derive *task, const char *what, derive_source *source, derive_numbers *numbers) {
    bool comma = true; /* no number precedes: a comma here is an error */
    for (const char *at = source->text; at < source->end;) {
        if (*at == '#') {
            at += strcspn(at, "\n");
        } else if (is_blank(*at)) {
            at++;
        } else if (*at == ',') {
            if (comma)
                return cli_usage_error(task->command, "%s: a comma without a number before it",
                                       place(task, what, source, at));
            comma = true;
            at++;
        } else if (*at == '\0') {
            return cli_failure(task->command, "%s: not a text file: it contains a zero byte",
                               place(task, what, source, at));
        } else {
            add_number(task, numbers, at);
            while (!ends_number(*at))
                at++;
            comma = false;
        }
    }
    return CLI_OK;
}

int derive_read_numbers(derive *task, const char *what, const char *text, derive_numbers *numbers) {
    derive_source *source = cli_region_alloc(&task->region, 1, sizeof *source);
    *source = (derive_source){.before = numbers->sources, .text = text, .end = text + strlen(text)};
    size_t before = numbers->count;
    if (text[0] == '@') {
        size_t size;
        source->name = text + 1;
        source->text = cli_file_read(&task->region, source->name, &size);
        if (!source->text)
            return cli_failure(task->command, "%s: cannot read '%s': %s", what, source->name, strerror(errno));
        source->end = source->text + size;
    }
    numbers->sources = source;
    int status = split(task, what, source, numbers);
    if (status == CLI_OK && numbers->count == before && source->name)
        return cli_failure(task->command, "%s: there are no numbers in '%s'", what, source->name);
    if (status == CLI_OK && numbers->count == before)
        return cli_usage_error(task->command, "%s: there are no numbers", what);
    return status;
}

/* ---- Converting ---- */

static const derive_source *source_of(const derive_numbers *numbers, const char *at) {
    const derive_source *source = numbers->sources;
    while (source && !(at >= source->text && at < source->end))
        source = source->before;
    return source;
}

/* True if the number ends here, or after a suffix as in C (1.5f), which is ignored: the parameter has the type. */
static bool number_ends(const char *end) {
    if (*end && strchr("fFlL", *end))
        end++;
    return ends_number(*end);
}

/* Numbers of Fortran may have the exponent letter d: returns a copy with e. */
static const char *with_e(derive *task, const char *text) {
    size_t size = 0;
    while (!ends_number(text[size]))
        size++;
    char *copy = cli_region_copy(&task->region, text, size), *letter = strpbrk(copy, "dD");
    if (letter && !strpbrk(copy, "xX"))
        *letter = 'e';
    return copy;
}

/* Returns NULL, or the error as the rest of a sentence that begins with the number ("is not a number"). */
static const char *convert_floating(const char *text, const derive_scalar *scalar, void *bytes) {
    char *end;
    bool overflow;
    errno = 0;
    if (scalar->size == sizeof(float)) {
        float value = strtof(text, &end);
        overflow = errno == ERANGE && isinf(value);
        memcpy(bytes, &value, sizeof value);
    } else if (scalar->size == sizeof(double)) {
        double value = strtod(text, &end);
        overflow = errno == ERANGE && isinf(value);
        memcpy(bytes, &value, sizeof value);
    } else {
        long double value = strtold(text, &end);
        overflow = errno == ERANGE && isinf(value);
        memcpy(bytes, &value, sizeof value);
    }
    if (end == text || !number_ends(end))
        return "is not a number";
    return overflow ? "is too large for its type" : NULL;
}

static bool word_is(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Reads a whole number without a sign. Returns NULL, or the error as above. */
static const char *read_whole(const char *text, size_t length, uint64_t *value) {
    static const char wrong[] = "is not a whole number";
    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        char *end;
        errno = 0;
        *value = strtoull(text, &end, 16);
        return end != text + length ? wrong : errno == ERANGE ? "is too large" : NULL;
    }
    if (word_is(text, length,
                "18446744073709551615")) { /* verso__quantity_whole rejects it, because it means "unknown" elsewhere */
        *value = UINT64_MAX;
        return NULL;
    }
    verso__quantity number;
    const char *bad = verso__quantity_read(text, length, &number);
    return bad ? wrong : verso__quantity_whole(number, value);
}

static const char *convert_integer(const char *text, const derive_scalar *scalar, void *bytes) {
    size_t length = 0;
    while (!ends_number(text[length]))
        length++;
    bool negative = text[0] == '-';
    size_t sign = negative || text[0] == '+';
    uint64_t value = 0;
    if (word_is(text, length, "true") || word_is(text, length, "false")) {
        value = text[0] == 't';
    } else {
        const char *wrong = read_whole(text + sign, length - sign, &value);
        if (wrong)
            return wrong;
    }
    unsigned bits = 8 * (unsigned)scalar->size;
    uint64_t most = scalar->is_signed ? (UINT64_C(1) << (bits - 1)) - !negative : UINT64_MAX >> (64 - bits);
    if (scalar->spelling[0] == '_') /* _Bool */
        most = 1;
    if (value > most || (negative && value > 0 && !scalar->is_signed))
        return "does not fit its type";
    if (negative)
        value = -value;
    memcpy(bytes, &value, scalar->size); /* little-endian */
    return NULL;
}

int derive_convert(derive *task, const char *what, const derive_numbers *numbers, size_t i, const derive_scalar *scalar,
                   void *bytes) {
    const char *at = numbers->at[i];
    const char *number = task->signature.file->fortran && scalar->class == DERIVE_FLOATING ? with_e(task, at) : at;
    const char *wrong = scalar->class == DERIVE_FLOATING ? convert_floating(number, scalar, bytes)
                                                         : convert_integer(number, scalar, bytes);
    if (!wrong)
        return CLI_OK;
    size_t length = 0;
    while (!ends_number(at[length]))
        length++;
    return cli_usage_error(task->command, "%s: '%.*s' %s%s%s", place(task, what, source_of(numbers, at), at),
                           (int)length, at, wrong, strstr(wrong, "its type") ? ", " : "",
                           strstr(wrong, "its type") ? scalar->spelling : "");
}

int derive_convert_all(derive *task, const char *what, const derive_numbers *numbers, size_t first, size_t count,
                       const derive_scalar *scalar, void **bytes) {
    char *all = cli_region_alloc(&task->region, count + 1, scalar->size);
    *bytes = all;
    for (size_t i = 0; i < count; i++) {
        int status = derive_convert(task, what, numbers, first + i, scalar, all + i * scalar->size);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}
