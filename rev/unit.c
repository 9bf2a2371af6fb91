/* See unit.h. */
#include "rev/unit.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 16, LINE_MAX_SHOWN = 200 };

struct rev_chunk {
    struct rev_chunk *before;
    size_t used, size;
    max_align_t bytes[];
};

/* ---- Memory ---- */

_Noreturn void rev_abandon(rev_unit *unit) {
    rev_guard *guard = unit->guard;
    unit->guard = guard->outer;
    longjmp(guard->jump, 1);
}

static _Noreturn void out_of_memory(rev_unit *unit) {
    unit->no_memory = true;
    rev_abandon(unit);
}

static struct rev_chunk *new_chunk(rev_unit *unit, size_t size) {
    size_t room = size > CHUNK ? size : CHUNK;
    struct rev_chunk *chunk = room < SIZE_MAX - sizeof *chunk ? verso__alloc(1, sizeof *chunk + room) : NULL;
    if (!chunk)
        out_of_memory(unit);
    chunk->size = room;
    chunk->before = unit->chunks;
    unit->chunks = chunk;
    return chunk;
}

void *rev_alloc(rev_unit *unit, size_t count, size_t size) {
    enum { ALIGN = sizeof(max_align_t) };
    if (size && count > (SIZE_MAX - ALIGN) / size)
        out_of_memory(unit);
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    struct rev_chunk *chunk = unit->chunks;
    if (!chunk || chunk->size - chunk->used < bytes)
        chunk = new_chunk(unit, bytes);
    void *block = (char *)chunk->bytes + chunk->used;
    chunk->used += bytes;
    return block;
}

/* An array that begins as NULL with count 0 always has a power of two, at least 4, as its capacity. So the
 * capacity follows from the count. */
void *rev_grow(rev_unit *unit, void *array, size_t count, size_t size) {
    bool full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
    if (!full)
        return array;
    void *grown = rev_alloc(unit, count < 4 ? 4 : 2 * count, size);
    if (count)
        memcpy(grown, array, count * size);
    return grown;
}

const char *rev_copy(rev_unit *unit, const char *text, size_t length) {
    char *copy = rev_alloc(unit, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

static const char *format_list(rev_unit *unit, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = rev_alloc(unit, (size_t)(length < 0 ? 0 : length) + 1, 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

const char *rev_format(rev_unit *unit, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_list(unit, format, arguments);
    va_end(arguments);
    return text;
}

void rev_unit_free(rev_unit *unit) {
    while (unit->chunks) {
        struct rev_chunk *before = unit->chunks->before;
        verso__dealloc(unit->chunks);
        unit->chunks = before;
    }
}

/* ---- Messages ---- */

/* Prints the line, and a caret below the place; tabs are kept, so that the caret is at the right column. */
static void show_line(rev_unit *unit, rev_place place) {
    const rev_source *source = place.source;
    size_t begin = place.offset;
    while (begin > 0 && source->text[begin - 1] != '\n')
        begin--;
    size_t end = place.offset;
    while (end < source->size && source->text[end] != '\n' && source->text[end] != '\r')
        end++;
    if (end - begin > LINE_MAX_SHOWN || place.offset > end)
        return;
    char shown[LINE_MAX_SHOWN + 1], caret[LINE_MAX_SHOWN + 1];
    size_t count = end - begin, column = place.offset - begin;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)source->text[begin + i];
        shown[i] = c == '\t' || (c >= ' ' && c != 127) ? (char)c : '?';
    }
    size_t width = 0;
    for (size_t i = 0; i < column; i++)
        if (((unsigned char)shown[i] & 0xC0) != 0x80)
            caret[width++] = shown[i] == '\t' ? '\t' : ' ';
    shown[count] = '\0';
    caret[width] = '\0';
    verso__text_print(unit->messages, "    %s\n    %s^\n", shown, caret);
}

static void report_list(rev_unit *unit, rev_place place, const char *fix, const char *format, va_list arguments) {
    if (unit->quiet)
        return;
    unit->errors++;
    const char *what = format_list(unit, format, arguments);
    if (place.source)
        verso__text_print(unit->messages, "%s:%u:%u: ", place.source->name, place.line, place.column);
    verso__text_print(unit->messages, "error: %s\n", what);
    if (place.source)
        show_line(unit, place);
    if (fix)
        verso__text_print(unit->messages, "    fix: %s\n", fix);
    if (unit->instance && unit->instance_place.source)
        verso__text_print(unit->messages, "    in the instance for %s, asked for at %s:%u\n", unit->instance,
                          unit->instance_place.source->name, unit->instance_place.line);
}

void rev_report(rev_unit *unit, rev_place place, const char *fix, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report_list(unit, place, fix, format, arguments);
    va_end(arguments);
}

_Noreturn void rev_refuse(rev_unit *unit, rev_place place, const char *fix, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report_list(unit, place, fix, format, arguments);
    va_end(arguments);
    rev_abandon(unit);
}
