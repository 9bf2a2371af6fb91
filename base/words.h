/* 64-bit words in bytes, little-endian on every machine: the layout of all that Verso writes and reads back. Structs
 * are never written as they lie in memory: their padding and their order are the compiler's affair. */
#ifndef VERSO_BASE_WORDS_H
#define VERSO_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <verso/identity.h>
#include <verso/wide.h>

enum { VERSO_WORD = 8 };

static inline void verso_put_word(unsigned char **at, uint64_t word) {
    for (int i = 0; i < VERSO_WORD; i++)
        *(*at)++ = (unsigned char)(word >> (8 * i));
}

static inline void verso_put_double(unsigned char **at, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    verso_put_word(at, word);
}

static inline void verso_put_wide(unsigned char **at, verso_wide value) {
    verso_put_word(at, (uint64_t)value);
    verso_put_word(at, (uint64_t)(value >> 64));
}

static inline void verso_put_identity(unsigned char **at, verso_identity identity) {
    verso_put_word(at, identity.words[0]);
    verso_put_word(at, identity.words[1]);
}

/* From bytes that are known to be there. */
static inline uint64_t verso_get_word(const unsigned char **at) {
    uint64_t word = 0;
    for (int i = 0; i < VERSO_WORD; i++)
        word |= (uint64_t)*(*at)++ << (8 * i);
    return word;
}

/* Bytes that may end too early: then 0 is read, and `over` remembers it. */
typedef struct verso_words {
    const unsigned char *at;
    size_t left;
    bool over;
} verso_words;

static inline uint64_t verso_take_word(verso_words *words) {
    if (words->left < VERSO_WORD) {
        words->over = true;
        return 0;
    }
    words->left -= VERSO_WORD;
    return verso_get_word(&words->at);
}

static inline double verso_take_double(verso_words *words) {
    uint64_t word = verso_take_word(words);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline verso_wide verso_take_wide(verso_words *words) {
    uint64_t low = verso_take_word(words);
    return (verso_wide)verso_take_word(words) << 64 | low;
}

static inline verso_identity verso_take_identity(verso_words *words) {
    verso_identity identity;
    identity.words[0] = verso_take_word(words);
    identity.words[1] = verso_take_word(words);
    return identity;
}

#endif
