/* Implements words.h. */
#include "cc/driver/words.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Makes room for one more string and the final NULL. */
static bool make_room(driver_words *words) {
    if (words->failed)
        return false;
    if (words->count + 2 <= words->capacity)
        return true;
    size_t capacity = words->capacity == 0 ? 16 : 2 * words->capacity;
    char **at = verso__realloc(words->at, capacity, sizeof *at);
    if (at == NULL) {
        words->failed = true;
        return false;
    }
    words->at = at;
    words->capacity = capacity;
    return true;
}

/* Adds `word` itself and takes ownership of it. NULL means that its allocation failed. */
static const char *take(driver_words *words, char *word) {
    if (word == NULL || !make_room(words)) {
        words->failed = true;
        verso__dealloc(word);
        return "";
    }
    words->at[words->count++] = word;
    words->at[words->count] = NULL;
    return word;
}

const char *driver_words_add_part(driver_words *words, const char *start, size_t size) {
    char *word = verso__alloc(size + 1, 1);
    if (word != NULL)
        memcpy(word, start, size);
    return take(words, word);
}

const char *driver_words_add(driver_words *words, const char *word) {
    return driver_words_add_part(words, word, strlen(word));
}

const char *driver_words_print(driver_words *words, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    char *word = size < 0 ? NULL : verso__alloc((size_t)size + 1, 1);
    if (word != NULL)
        vsnprintf(word, (size_t)size + 1, format, again);
    va_end(again);
    va_end(arguments);
    return take(words, word);
}

void driver_words_append(driver_words *words, const driver_words *more) {
    for (size_t i = 0; i < more->count; i++)
        driver_words_add(words, more->at[i]);
    words->failed = words->failed || more->failed;
}

bool driver_words_contain(const driver_words *words, const char *word) {
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->at[i], word) == 0)
            return true;
    return false;
}

void driver_words_free(driver_words *words) {
    for (size_t i = 0; i < words->count; i++)
        verso__dealloc(words->at[i]);
    verso__dealloc(words->at);
    *words = (driver_words){0};
}
