/* Text that the library hands to a sink, and whether it is well-formed as SVG or HTML. What is not fails the running
 * test. */
#ifndef VERSO_TESTS_MARKUP_H
#define VERSO_TESTS_MARKUP_H

#include <stddef.h>
#include <verso/sink.h>

typedef struct markup_page {
    char *text; /* NUL-terminated; from malloc, NULL as long as nothing has come */
    size_t size;
    size_t capacity;
} markup_page;

/* A sink whose context is a markup_page. */
verso_status markup_keep(void *context, const char *text, size_t size);
/* A sink that refuses the call which its counter, an unsigned, reaches. */
verso_status markup_refuse(void *context, const char *text, size_t size);

/* Tags balance, attributes are quoted, entities are known, and no number is NaN or infinite. */
void markup_check(const char *text);
/* How often the word occurs. */
size_t markup_count(const char *text, const char *word);

#endif
