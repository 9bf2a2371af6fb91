/* Response files: "@FILE" on a command line stands for the words in FILE. */
#ifndef CC_DRIVER_RESPONSE_H
#define CC_DRIVER_RESPONSE_H

#include "cc/driver/words.h"

/* Adds `count` words, each "@FILE" of a file that can be read replaced by the words in it, as clang does: words are
 * separated by space, quotes of either kind hold spaces, a backslash makes the next character an ordinary one. A file
 * may name others. */
void driver_response_expand(driver_words *words, char *const *given, size_t count);

/* The words of one file's text. */
void driver_response_split(driver_words *words, const char *text, size_t size);

/* Writes words so that reading them gives the same; false with errno set when that fails. */
bool driver_response_write(const char *path, char *const *words);

#endif
