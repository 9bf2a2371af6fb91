/* A unit: the memory, sources and messages of one translation by `verso rev`.
 *
 * All memory of a translation lies in the arena of its unit and is freed with it. A refusal or a failed allocation
 * jumps (longjmp) to the innermost rev_guard. Passes therefore need no error checks, and there is nothing to clean
 * up. */
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
    const char *text; /* ends with NUL */
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
    rev_guard *guard; /* the innermost; never NULL while passes run */
    verso__text *messages;
    unsigned errors; /* number of errors reported */
    bool quiet;      /* report nothing: unreadable host code and headers are skipped */
    bool no_memory;  /* an allocation has failed */
    bool cuda;
    unsigned names;       /* number of names that the tool has made in the current function */
    const char *instance; /* the type that replaces `double`; NULL: none */
    rev_place instance_place;
} rev_unit;

/* Returns zeroed memory; never NULL. */
void *rev_alloc(rev_unit *unit, size_t count, size_t size);
/* Makes room for one more element in an array that has `count`; returns the array, which may have moved. The array
 * must begin as NULL with count 0 and grow only by this function. */
void *rev_grow(rev_unit *unit, void *array, size_t count, size_t size);
/* Returns a copy that ends with NUL. */
const char *rev_copy(rev_unit *unit, const char *text, size_t length);
const char *rev_format(rev_unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Frees the memory of the unit, not the unit itself. */
void rev_unit_free(rev_unit *unit);

/* Appends "NAME:LINE:COLUMN: error: message", the source line, a caret and, unless `fix` is NULL, "fix: " and what
 * to write instead. rev_refuse then jumps to the guard; rev_report returns. */
void rev_report(rev_unit *unit, rev_place place, const char *fix, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void rev_refuse(rev_unit *unit, rev_place place, const char *fix, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Jumps to the innermost guard without a message. */
_Noreturn void rev_abandon(rev_unit *unit);

#endif
