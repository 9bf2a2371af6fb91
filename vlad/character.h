/* Characters of a text: UTF-8, of which any bytes may turn out not to be. */
#ifndef VLAD_CHARACTER_H
#define VLAD_CHARACTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of the character that starts there, of `size` that are left (at least 1), and its code. Bytes that are not
 * UTF-8 are characters of their own, of one byte and code UINT32_MAX. */
size_t vlad_character(const char *text, size_t size, uint32_t *code);
/* It has a shape of its own: not a control character, a kind of blank, or a byte that is none. ASCII's blank is. */
bool vlad_is_printable(uint32_t code);

/* Words of the program in a message, cut when they are long: vlad_shown(name, length).text. */
typedef struct vlad_words {
    char text[64];
} vlad_words;
vlad_words vlad_shown(const char *text, size_t size);

#endif
