/* The characters of a text in UTF-8. Invalid bytes are allowed everywhere. */
#ifndef VLAD_CHARACTER_H
#define VLAD_CHARACTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes of the first character and sets *code. `size` is the number of bytes left, at least
 * 1. A byte that is not valid UTF-8 counts as a character of one byte with the code UINT32_MAX. */
size_t vlad_character(const char *text, size_t size, uint32_t *code);
/* True for characters with a visible shape and for the ASCII space: not for control characters, other blanks and
 * invalid bytes. */
bool vlad_is_printable(uint32_t code);

/* Text from the program for use in a message, shortened if it is long: vlad_shown(name, length).text. */
typedef struct vlad_words {
    char text[64];
} vlad_words;
vlad_words vlad_shown(const char *text, size_t size);

#endif
