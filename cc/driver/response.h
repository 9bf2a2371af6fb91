/* Response files: "@FILE" on a command line is replaced by the arguments in FILE. */
#ifndef CC_DRIVER_RESPONSE_H
#define CC_DRIVER_RESPONSE_H

#include "cc/driver/words.h"

/* Appends `count` arguments to `words`, and expands each "@FILE" whose file can be read, as clang does: arguments in a
 * file are separated by white space, single or double quotes enclose white space, and a backslash escapes the next
 * character. A file may contain "@FILE" itself. */
void driver_response_expand(driver_words *words, char *const *given, size_t count);

/* Appends the arguments in the text of a response file. */
void driver_response_split(driver_words *words, const char *text, size_t size);

/* Writes arguments (NULL ends the list) to a response file. Returns false with errno set on failure. */
bool driver_response_write(const char *path, char *const *words);

#endif
