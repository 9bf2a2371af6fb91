/* Writes and reads 64-bit words as bytes, little-endian on every machine: the layout of all files of Verso.
 * Structs are never written directly, because their padding and layout depend on the compiler. Each function
 * advances its pointer past the bytes. */
#ifndef VERSO_BASE_WORDS_H
#define VERSO_BASE_WORDS_H

#include "base/wide.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <verso/identity.h>

enum { VERSO_WORD = 8 };

static inline void verso__put_word(unsigned char **at, uint64_t word) {
    for (int i = 0; i < VERSO_WORD; i++)
        *(*at)++ = (unsigned char)(word >> (8 * i));
}

static inline void verso__put_double(unsigned char **at, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    verso__put_word(at, word);
}

static inline void verso__put_wide(unsigned char **at, verso__wide value) {
    verso__put_word(at, (uint64_t)value);
    verso__put_word(at, (uint64_t)(value >> 64));
}

static inline void verso__put_identity(unsigned char **at, verso_identity identity) {
    verso__put_word(at, identity.words[0]);
    verso__put_word(at, identity.words[1]);
}

/* Reads a word. The caller guarantees that 8 bytes are available. */
static inline uint64_t verso__get_word(const unsigned char **at) {
    uint64_t word = 0;
    for (int i = 0; i < VERSO_WORD; i++)
        word |= (uint64_t)*(*at)++ << (8 * i);
    return word;
}

/* Bytes to read that may be too few. Reading past the end returns 0 and sets `over`. */
typedef struct verso__words {
    const unsigned char *at;
    size_t left;
    bool over;
} verso__words;

static inline uint64_t verso__take_word(verso__words *words) {
    if (words->left < VERSO_WORD) {
        words->over = true;
        return 0;
    }
    words->left -= VERSO_WORD;
    return verso__get_word(&words->at);
}

static inline double verso__take_double(verso__words *words) {
    uint64_t word = verso__take_word(words);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline verso__wide verso__take_wide(verso__words *words) {
    uint64_t low = verso__take_word(words);
    return (verso__wide)verso__take_word(words) << 64 | low;
}

static inline verso_identity verso__take_identity(verso__words *words) {
    verso_identity identity;
    identity.words[0] = verso__take_word(words);
    identity.words[1] = verso__take_word(words);
    return identity;
}

#endif
