/* Implements bitcode.h. A module is the magic number 'BC' 0xC0DE followed by blocks. At the top level, a block consists
 * of
 *     2 bits             1: a block begins
 *     8 bits, or more    the kind of block, in groups of 8 bits
 *     4 bits, or more    the size of abbreviation ids, in groups of 4 bits
 *     padding            zeros, up to a multiple of 32 bits
 *     32 bits            the size of the rest of the block, in 32-bit words
 *     the rest
 * Kind and size are one group each, because LLVM has fewer than 128 kinds and fewer than 8 bits per abbreviation id. So
 * the first four fields are one 32-bit word, and blocks can be skipped without decoding them. */
#include "cc/driver/bitcode.h"

#include "base/status.h"

#include <string.h>

enum { WORD = 4 };
#define MAGIC 0xdec04342u

static uint32_t word_at(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* True if the word is the first of a block: the first field is 1, kind and size are one group each. */
static bool begins_block(uint32_t word) {
    return (word & 3) == 1 && (word & 1u << 9) == 0 && (word & 1u << 13) == 0 && word >> 14 == 0;
}

/* Linkers may pad with zeros. */
static void skip_padding(driver_bytes *rest) {
    while (rest->size > 0 && rest->bytes[0] == 0) {
        rest->bytes++;
        rest->size--;
    }
}

verso_status driver_bitcode_next(driver_bytes *rest, const char *name, driver_bytes *module, verso_error *error) {
    *module = (driver_bytes){0};
    skip_padding(rest);
    if (rest->size == 0)
        return VERSO_STATUS_OK;
    if (rest->size < WORD || word_at(rest->bytes) != MAGIC)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "%s is damaged: its section for Verso is not bitcode; compile it again", name);
    size_t at = WORD;
    while (rest->size - at >= 2 * (size_t)WORD && begins_block(word_at(rest->bytes + at))) {
        uint64_t size = (uint64_t)WORD * word_at(rest->bytes + at + WORD);
        at += 2 * (size_t)WORD;
        if (size > rest->size - at)
            return verso__fail(error, VERSO_STATUS_CORRUPT,
                               "%s is damaged: its bitcode ends too early; compile it again", name);
        at += (size_t)size;
    }
    if (at == WORD)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "%s is damaged: its bitcode is empty; compile it again", name);
    *module = (driver_bytes){rest->bytes, at};
    rest->bytes += at;
    rest->size -= at;
    return VERSO_STATUS_OK;
}
