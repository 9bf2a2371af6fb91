/* A growing list of strings: a command line, or strings that are kept for later. If an allocation fails, `failed` is
 * set and all further calls do nothing, so that code which builds a command needs no checks; the code that runs the
 * command checks once. */
#ifndef CC_DRIVER_WORDS_H
#define CC_DRIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct driver_words {
    char **at;       /* the strings; NULL ends the list. NULL if the list is empty */
    size_t count;    /* number of strings */
    size_t capacity; /* room in `at` */
    bool failed;     /* an allocation failed: the list is incomplete */
} driver_words;

/* Add a copy of a string, of `size` bytes, or a formatted string. Each returns the copy, which stays at its address
 * until the list is freed; "" if memory is exhausted. */
const char *driver_words_add(driver_words *words, const char *word);
const char *driver_words_add_part(driver_words *words, const char *start, size_t size);
__attribute__((format(printf, 2, 3))) const char *driver_words_print(driver_words *words, const char *format, ...);
/* Adds copies of all strings of another list. */
void driver_words_append(driver_words *words, const driver_words *more);
bool driver_words_contain(const driver_words *words, const char *word);
void driver_words_free(driver_words *words);

#endif
