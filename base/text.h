/* A buffered writer that remembers its first failure, and functions that format numbers independently of the
 * locale.
 *
 * After a failure of the sink or of an allocation, all functions that write to the text do nothing. Code that
 * writes therefore needs no checks: the function that opened the text checks once, with verso__text_close. */
#ifndef VERSO_BASE_TEXT_H
#define VERSO_BASE_TEXT_H

#include "base/wide.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/sink.h>

/* ---- Text ---- */

typedef struct verso__text {
    verso_sink sink; /* NULL: the text is kept in memory until verso__text_move appends it to another text */
    void *context;
    char *bytes;
    size_t size;
    size_t capacity;
    verso_status status; /* the first failure; VERSO_STATUS_OK if there was none */
} verso__text;

void verso__text_add(verso__text *text, const char *bytes, size_t size);
void verso__text_string(verso__text *text, const char *string);
/* Appends a string with the characters that HTML and SVG reserve escaped. */
void verso__text_escaped(verso__text *text, const char *string);
/* Appends formatted text. Use it only for strings and integers, which print the same in every locale; format
 * other numbers with the functions below. Text beyond 511 bytes is cut off. */
__attribute__((format(printf, 2, 3))) void verso__text_print(verso__text *text, const char *format, ...);
/* Appends the text `kept`, which has no sink, to `text` and empties it. */
void verso__text_move(verso__text *text, verso__text *kept);
/* Writes the buffered bytes to the sink, frees the buffer and returns the first failure. */
verso_status verso__text_close(verso__text *text);

/* ---- Numbers ---- */

/* A number as text, returned by value so that it can be used in an argument list: verso__pixel(x).text. */
typedef struct verso__number {
    char text[64];
} verso__number;

verso__number verso__pixel(double value);                 /* at most two decimals: 12.5 */
verso__number verso__decimal(double value, int decimals); /* exactly `decimals` decimals: 3.40 */
verso__number verso__grouped(verso__wide value);          /* 1,234,567 */
/* short, for an axis that ends at `most`: 2,500, 200k, 1.5M, 5e23 */
verso__number verso__tick(double value, double most);
verso__number verso__bytes(double value);      /* 12 B, 4.5 kB, 64 MB, in powers of 1000; "?" if negative or NaN */
verso__number verso__duration(double seconds); /* 12.3 s, 4 min 5 s, 2 h 10 min; "?" if negative or NaN */

#endif
