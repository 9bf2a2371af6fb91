/* Implements response.h. */
#include "cc/driver/response.h"

#include "base/alloc.h"
#include "cc/driver/mapping.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Maximum depth of response files in response files, which stops circular references. */
enum { DEEPEST = 20 };

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Reads an argument from text[*at], which is not white space, into `word`, which has room for the whole text. Returns
 * its length. */
static size_t read_word(const char *text, size_t size, size_t *at, char *word) {
    size_t length = 0;
    char quote = '\0';
    for (; *at < size && (quote != '\0' || !is_space(text[*at])); (*at)++) {
        char c = text[*at];
        if (c == '\\' && *at + 1 < size) {
            word[length++] = text[++*at];
        } else if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
            quote = quote != '\0' ? '\0' : c;
        } else {
            word[length++] = c;
        }
    }
    return length;
}

void driver_response_split(driver_words *words, const char *text, size_t size) {
    char *word = verso__alloc(size + 1, 1);
    if (word == NULL) {
        words->failed = true;
        return;
    }
    for (size_t at = 0; at < size;) {
        if (is_space(text[at]))
            at++;
        else
            driver_words_add_part(words, word, read_word(text, size, &at, word));
    }
    verso__dealloc(word);
}

static void expand(driver_words *words, char *const *given, size_t count, unsigned depth);

/* Returns false if the file cannot be read: then "@FILE" is an ordinary argument. */
static bool expand_file(driver_words *words, const char *path, unsigned depth) {
    if (depth >= DEEPEST)
        return false;
    driver_mappings files = {0};
    const driver_mapping *file = driver_mapping_open(&files, path);
    if (file != NULL) {
        driver_words inner = {0};
        driver_response_split(&inner, (const char *)file->content.bytes, file->content.size);
        expand(words, inner.at, inner.count, depth + 1);
        words->failed = words->failed || inner.failed;
        driver_words_free(&inner);
    }
    driver_mappings_close(&files);
    return file != NULL;
}

static void expand(driver_words *words, char *const *given, size_t count, unsigned depth) {
    for (size_t i = 0; i < count; i++)
        if (given[i][0] != '@' || !expand_file(words, given[i] + 1, depth))
            driver_words_add(words, given[i]);
}

void driver_response_expand(driver_words *words, char *const *given, size_t count) {
    expand(words, given, count, 0);
}

bool driver_response_write(const char *path, char *const *words) {
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    for (; *words != NULL; words++) {
        fputc('"', file);
        for (const char *c = *words; *c != '\0'; c++) {
            if (*c == '"' || *c == '\\')
                fputc('\\', file);
            fputc(*c, file);
        }
        fputs("\"\n", file);
    }
    bool written = ferror(file) == 0;
    int code = errno;
    if (fclose(file) != 0)
        return false;
    errno = code;
    return written;
}
