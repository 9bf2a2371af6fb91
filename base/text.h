/* A buffered writer that remembers its first failure, and numbers as text in no locale.
 *
 * A failure (of the sink, of an allocation) is remembered where it happens and everything after it does nothing, so
 * code that writes needs no checks; whoever opened a text asks once, at the end. */
#ifndef VERSO_BASE_TEXT_H
#define VERSO_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/sink.h>
#include <verso/wide.h>

/* ---- Text ---- */

typedef struct verso_text {
    verso_sink sink; /* NULL: the text is kept until it is moved into another */
    void *context;
    char *bytes;
    size_t size;
    size_t capacity;
    verso_status status; /* the first failure */
} verso_text;

void verso_text_add(verso_text *text, const char *bytes, size_t size);
void verso_text_string(verso_text *text, const char *string);
/* With what HTML and SVG reserve escaped. */
void verso_text_escaped(verso_text *text, const char *string);
/* For strings and integers, which print the same in every locale; other numbers go through the functions below. */
__attribute__((format(printf, 2, 3))) void verso_text_print(verso_text *text, const char *format, ...);
/* Appends a kept text to another and leaves it empty. */
void verso_text_move(verso_text *text, verso_text *kept);
/* Hands the rest to the sink, frees the buffer, and returns the first failure. */
verso_status verso_text_close(verso_text *text);

/* ---- Numbers ---- */

/* A number's text, returned by value so that it can stand in an argument list: verso_pixel(x).text. */
typedef struct verso_number {
    char text[64];
} verso_number;

verso_number verso_pixel(double value);                 /* at most two decimals: 12.5 */
verso_number verso_decimal(double value, int decimals); /* exactly that many: 3.40 */
verso_number verso_grouped(verso_wide value);           /* 1,234,567 */
verso_number verso_tick(double value, double most);     /* short, on an axis up to `most`: 2,500, 200k, 1.5M, 5e23 */
verso_number verso_bytes(double value);                 /* 12 B, 4.5 kB, 64 MB: powers of 1000; "?" below 0 or NaN */
verso_number verso_duration(double seconds);            /* 12.3 s, 4 min 5 s, 2 h 10 min; "?" below 0 or NaN */

#endif
