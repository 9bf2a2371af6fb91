/* Messages that show the source text: see vlad_fail_at in source.h.
 *
 * A message has at most VERSO_MESSAGE_MAX bytes. The text comes first. The source line gets the rest, as a window
 * around the caret. A tab is shown as one blank, since it counts as one column. */
#include "vlad/source.h"

#include "base/status.h"
#include "vlad/character.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 96, NAME_SHOWN = 100, HEAD = 330 };

static const char indent[] = "  ", cut[] = "...";

typedef struct line {
    const char *text;
    size_t size;
} line;

static line line_of(const vlad_sources *sources, vlad_place place) {
    size_t size;
    const char *text = vlad_sources_text(sources, place.file, &size), *end = text + size;
    for (uint32_t n = 1; n < place.line && text < end; n++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        text = newline != NULL ? newline + 1 : end;
    }
    const char *newline = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
    size = (size_t)((newline != NULL ? newline : end) - text);
    if (size > 0 && text[size - 1] == '\r')
        size--;
    return (line){text, size};
}

/* Advances by one column. */
static void skip(line *l, uint32_t *code) {
    size_t length = vlad_character(l->text, l->size, code);
    l->text += length;
    l->size -= length;
}

static size_t columns_of(line l) {
    size_t columns = 0;
    for (uint32_t code; l.size > 0; columns++)
        skip(&l, &code);
    return columns;
}

/* Writes at most `window` columns of a line around column `caret` (from 0), and the caret. Returns false if they
 * do not fit. */
static bool show(line l, size_t caret, size_t window, char *to, size_t room) {
    size_t columns = columns_of(l), half = window / 2;
    size_t first = columns <= window || caret <= half ? 0 : caret - half;
    bool ends = columns - first <= window;
    uint32_t code;
    for (size_t i = 0; i < first; i++)
        skip(&l, &code);
    char shown[4 * WINDOW + 1];
    size_t used = 0;
    for (size_t i = 0; i < window && l.size > 0; i++) {
        const char *start = l.text;
        skip(&l, &code);
        bool printable = vlad_is_printable(code);
        size_t length = printable ? (size_t)(l.text - start) : 1;
        memcpy(shown + used, printable ? start : code == '\t' ? " " : "?", length);
        used += length;
    }
    shown[used] = '\0';
    const char *before = first > 0 ? cut : "";
    int blanks = (int)(strlen(before) + caret - first);
    int needed = snprintf(to, room, "\n%s%s%s%s\n%s%*s^", indent, before, shown, ends ? "" : cut, indent, blanks, "");
    return needed >= 0 && (size_t)needed < room;
}

/* Returns the end of a long name, which says more than its beginning. */
static const char *name_end(const char *name) {
    size_t length = strlen(name);
    return length > NAME_SHOWN ? name + length - NAME_SHOWN : name;
}

verso_status vlad_fail_at(const vlad_sources *sources, vlad_place place, verso_status status, verso_error *error,
                          const char *format, ...) {
    if (error == NULL)
        return status;
    char what[HEAD - NAME_SHOWN], shown[VERSO_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(what, sizeof what, format, arguments) < 0)
        what[0] = '\0';
    va_end(arguments);
    if (place.line == 0)
        return verso__fail(error, status, "%s", what);
    const char *name = vlad_sources_name(sources, place.file), *end = name_end(name);
    verso__fail(error, status, "%s%s:%u:%u: %s", end != name ? cut : "", end, place.line, place.column, what);
    size_t used = strlen(error->message), room = sizeof error->message - used;
    line l = line_of(sources, place);
    size_t columns = columns_of(l), caret = place.column > columns ? columns : place.column - 1;
    for (size_t window = WINDOW; window > 0; window /= 2)
        if (show(l, caret, window, shown, room)) {
            memcpy(error->message + used, shown, strlen(shown) + 1);
            break;
        }
    return status;
}
