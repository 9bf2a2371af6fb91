/* Chance, and lines of C. See generator.h. */
#include "generator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t draw(generator *g, uint32_t below) {
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((g->random >> 33) % below);
}

bool chance(generator *g, uint32_t percent) {
    return draw(g, 100) < percent;
}

void line(const generator *g, const char *format, ...) {
    if (g->muted)
        return;
    va_list arguments;
    va_start(arguments, format);
    printf("%*s", 4 * g->indent, "");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

void open_block(generator *g, const char *format, ...) {
    if (!g->muted) {
        va_list arguments;
        va_start(arguments, format);
        printf("%*s", 4 * g->indent, "");
        vprintf(format, arguments);
        printf("{\n");
        va_end(arguments);
    }
    g->indent++;
}

void close_block(generator *g) {
    g->indent--;
    line(g, "}");
}

void set(expression *e, double bound, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(e->text, sizeof e->text, format, arguments) >= TEXT) {
        fprintf(stderr, "generate: an expression is too long\n");
        exit(1);
    }
    va_end(arguments);
    e->bound = bound;
}
