/* Implements named.h. */
#include "cc/driver/named.h"

#include <string.h>

static bool is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t skip(driver_bytes text, size_t at, bool (*is)(unsigned char)) {
    while (at < text.size && is(text.bytes[at]))
        at++;
    return at;
}

static bool is_space(unsigned char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns whether the word from `start` to `end` is one of `words`. */
static bool is_one_of(const char *const *words, size_t count, driver_bytes text, size_t start, size_t end) {
    for (size_t i = 0; i < count; i++)
        if (end - start == strlen(words[i]) && memcmp(text.bytes + start, words[i], end - start) == 0)
            return true;
    return false;
}

static bool is_macro(driver_bytes text, size_t start, size_t end) {
    static const char *const macros[] = {"VERSO_CUSTOM_ADJOINT", "VERSO_ADJOINT", "VERSO_WORLD_ADJOINT"};
    return is_one_of(macros, sizeof macros / sizeof *macros, text, start, end);
}

void driver_named_adjoints(driver_bytes text, driver_words *names) {
    for (size_t at = 0, end; at < text.size; at = end + 1) {
        end = skip(text, at, is_letter);
        if (!is_macro(text, at, end))
            continue;
        size_t open = skip(text, end, is_space);
        if (open == text.size || text.bytes[open] != '(')
            continue;
        size_t start = skip(text, open + 1, is_space);
        end = skip(text, start, is_letter);
        if (end > start)
            driver_words_add_part(names, (const char *)text.bytes + start, end - start);
    }
}

bool driver_names_exceptions(driver_bytes text) {
    static const char *const words[] = {"throw", "try", "catch"};
    for (size_t at = 0, end; at < text.size; at = end + 1) {
        end = skip(text, at, is_letter);
        if (is_one_of(words, sizeof words / sizeof *words, text, at, end))
            return true;
    }
    return false;
}
