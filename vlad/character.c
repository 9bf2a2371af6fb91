/* See character.h. */
#include "vlad/character.h"

#include <string.h>

static const uint32_t none = UINT32_MAX;

/* Returns the number of bytes that a first byte announces, and sets *least to the smallest code that needs that
 * many; 0 if it cannot be a first byte. */
static size_t announced(unsigned char first, uint32_t *least) {
    if (first < 0x80 || first > 0xf4)
        return first < 0x80;
    *least = first < 0xe0 ? 0x80 : first < 0xf0 ? 0x800 : 0x10000;
    return first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t vlad_character(const char *text, size_t size, uint32_t *code) {
    unsigned char first = (unsigned char)text[0];
    uint32_t least = 0;
    size_t length = announced(first, &least);
    *code = none;
    if (length == 0 || length > size)
        return 1;
    uint32_t value = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 1;
        value = value << 6 | (next & 0x3f);
    }
    if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 1;
    *code = value;
    return length;
}

bool vlad_is_printable(uint32_t code) {
    static const struct {
        uint32_t first, last;
    } unseen[] = {{0, 0x1f},        {0x7f, 0xa0},     {0xad, 0xad},     {0x1680, 0x1680},
                  {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},
                  {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, none}};
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (code >= unseen[i].first && code <= unseen[i].last)
            return false;
    return true;
}

vlad_words vlad_shown(const char *text, size_t size) {
    vlad_words words = {{0}};
    enum { ROOM = sizeof words.text - sizeof "..." };
    size_t shown = 0;
    for (size_t at = 0, length; at < size; at += length) {
        uint32_t code;
        length = vlad_character(text + at, size - at, &code);
        if (shown + length > ROOM) {
            memcpy(words.text + shown, "...", sizeof "...");
            break;
        }
        bool printable = vlad_is_printable(code);
        memcpy(words.text + shown, printable ? text + at : "?", printable ? length : 1);
        shown += printable ? length : 1;
    }
    return words;
}
