/* A growing list of words: a command line, or names to be kept. A failure to allocate is remembered and everything
 * after it does nothing, so code that builds a command needs no checks; whoever runs it asks once. */
#ifndef CC_DRIVER_WORDS_H
#define CC_DRIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct driver_words {
    char **at; /* NULL ends the list; NULL itself while nothing was added */
    size_t count;
    size_t capacity;
    bool failed; /* there was no memory: the list is not to be used */
} driver_words;

/* Each returns the list's own copy, "" when there is no memory. It stays where it is until the list is freed. */
const char *driver_words_add(driver_words *words, const char *word);
const char *driver_words_add_part(driver_words *words, const char *start, size_t size);
__attribute__((format(printf, 2, 3))) const char *driver_words_print(driver_words *words, const char *format, ...);
void driver_words_append(driver_words *words, const driver_words *more);
bool driver_words_hold(const driver_words *words, const char *word);
void driver_words_free(driver_words *words);

#endif
