/* Implements markup.h. */
#include "tests/support/markup.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TAGS_DEEP = 32, TAG_NAME = 16 };

/* ---- Sinks ---- */

verso_status markup_keep(void *context, const char *text, size_t size) {
    markup_page *page = context;
    if (page->size + size + 1 > page->capacity) {
        page->capacity = 2 * (page->size + size + 1);
        page->text = realloc(page->text, page->capacity);
        assert_non_null(page->text);
    }
    memcpy(page->text + page->size, text, size);
    page->size += size;
    page->text[page->size] = '\0';
    return VERSO_STATUS_OK;
}

verso_status markup_refuse(void *context, const char *text, size_t size) {
    (void)text;
    (void)size;
    unsigned *calls_left = context;
    return (*calls_left)-- == 0 ? VERSO_STATUS_IO : VERSO_STATUS_OK;
}

/* ---- Well-formedness ---- */

typedef struct open_tags {
    char names[TAGS_DEEP][TAG_NAME];
    size_t depth;
} open_tags;

/* Like strcspn, which under a sanitizer would search the end of the whole page at every call. */
static size_t length_until(const char *at, const char *ends) {
    size_t length = 0;
    while (at[length] != '\0' && strchr(ends, at[length]) == NULL)
        length++;
    return length;
}

static size_t name_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]))
        length++;
    return length;
}

static bool begins_with(const char *at, const char *word) {
    while (*word != '\0' && *at == *word)
        at++, word++;
    return *word == '\0';
}

/* Checks the attributes of a tag, from the end of its name to '>': each has the form name="value". */
static const char *skip_attributes(const char *at) {
    for (;;) {
        while (*at == ' ' || *at == '\n')
            at++;
        if (*at == '>' || (*at == '/' && at[1] == '>'))
            return at;
        at += length_until(at, "=<>");
        assert_int_equal(at[0], '=');
        assert_int_equal(at[1], '"');
        at += 2;
        size_t length = length_until(at, "\"<>");
        assert_int_equal(at[length], '"');
        at += length + 1;
    }
}

static const char *check_tag(open_tags *open, const char *at) {
    bool closing = *at == '/';
    at += closing;
    size_t length = name_length(at);
    assert_in_range(length, 1, TAG_NAME - 1);
    const char *name = at;
    at = skip_attributes(at + length);
    if (closing) {
        assert_true(open->depth > 0);
        const char *opened = open->names[--open->depth];
        assert_true(strlen(opened) == length && memcmp(opened, name, length) == 0);
    } else if (*at == '>' && !(length == 4 && memcmp(name, "meta", length) == 0)) {
        assert_true(open->depth < TAGS_DEEP);
        memcpy(open->names[open->depth], name, length);
        open->names[open->depth++][length] = '\0';
    }
    return at + (*at == '/' ? 2 : 1);
}

static void check_entity(const char *at) {
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found = found || begins_with(at, known[i]);
    assert_true(found);
}

void markup_check(const char *text) {
    open_tags open = {.depth = 0};
    const char *at = text;
    if (strncmp(at, "<!DOCTYPE html>", 15) == 0)
        at += 15;
    while (*at != '\0') {
        at += length_until(at, "<&");
        if (*at == '&')
            check_entity(at++);
        else if (*at == '<')
            at = check_tag(&open, at + 1);
    }
    assert_int_equal(open.depth, 0);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
}

size_t markup_count(const char *text, const char *word) {
    size_t times = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        times++;
    return times;
}
