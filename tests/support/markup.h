/* Collects text that the library writes to a sink, and checks that it is well-formed SVG or HTML. If it is not, the
 * running test fails. */
#ifndef VERSO_TESTS_MARKUP_H
#define VERSO_TESTS_MARKUP_H

#include <stddef.h>
#include <verso/sink.h>

typedef struct markup_page {
    char *text; /* NUL-terminated, from malloc; NULL if nothing was written yet */
    size_t size;
    size_t capacity;
} markup_page;

/* A sink that appends to its context, a markup_page. */
verso_status markup_keep(void *context, const char *text, size_t size);
/* A sink that fails after n calls. Its context is an unsigned, initially n, which it counts down. */
verso_status markup_refuse(void *context, const char *text, size_t size);

/* Fails the test unless tags balance, attributes are quoted, entities are known, and no number is NaN or infinite. */
void markup_check(const char *text);
/* Returns how often the word occurs. */
size_t markup_count(const char *text, const char *word);

#endif
