/* One translation by `verso rev`: its memory, its sources and its messages.
 *
 * Everything a translation makes lives in the arena of its unit and goes with it. A refusal or an allocation that fails
 * jumps to the innermost rev_guard: passes over trees of any shape need no checks on the way, and nothing is left to
 * clean up there. */
#ifndef REV_UNIT_H
#define REV_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

typedef struct rev_source {
    const char *name;
    const char *text; /* a NUL behind it */
    size_t size;
} rev_source;

typedef struct rev_place {
    const rev_source *source; /* NULL: made by the tool */
    uint32_t offset;
    uint32_t line, column; /* from 1 */
} rev_place;

typedef struct rev_guard {
    jmp_buf jump;
    struct rev_guard *outer;
} rev_guard;

typedef struct rev_unit {
    struct rev_chunk *chunks;
    rev_guard *guard; /* never NULL while passes run */
    verso_text *messages;
    unsigned errors;
    bool quiet; /* what cannot be read is skipped: host code, headers */
    bool no_memory;
    bool cuda;
    unsigned names;       /* how many the tool has made in this function */
    const char *instance; /* what `double` stands for; NULL: itself */
    rev_place instance_place;
} rev_unit;

/* Zeroed; never NULL. */
void *rev_alloc(rev_unit *unit, size_t count, size_t size);
void *rev_grow(rev_unit *unit, void *array, size_t count, size_t size); /* room for one more; see rev/unit.c */
const char *rev_copy(rev_unit *unit, const char *text, size_t length);
const char *rev_format(rev_unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rev_unit_free(rev_unit *unit);

/* "NAME:LINE:COLUMN: error: what", the line, a caret and what to write instead. */
void rev_report(rev_unit *unit, rev_place place, const char *fix, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void rev_refuse(rev_unit *unit, rev_place place, const char *fix, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void rev_abandon(rev_unit *unit);

#endif
