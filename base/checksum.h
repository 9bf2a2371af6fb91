/* Checksums of the data that Verso writes to files and reads back, with xxHash. They detect accidental damage;
 * they do not protect against forgery. */
#ifndef VERSO_BASE_CHECKSUM_H
#define VERSO_BASE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/identity.h>

/* Returns the 64-bit XXH3 checksum of `size` bytes. Used for small data such as headers. */
uint64_t verso__checksum(const void *bytes, size_t size);
/* Returns the 128-bit XXH3 checksum of `size` bytes. Used for capsules and journals, and to identify programs
 * and runs. */
verso_identity verso__checksum_wide(const void *bytes, size_t size);
/* Returns the 128-bit checksum of `size` bytes seeded with `before`, the checksum of the preceding data. Used
 * to chain the records of a journal and to combine several inputs into one identity. */
verso_identity verso__checksum_chain(verso_identity before, const void *bytes, size_t size);

/* Computes verso__checksum_wide of data that arrives in several parts: begin, any number of adds, end. A new
 * object has already begun. `new` returns NULL if there is no memory. */
typedef struct verso__checksum_parts verso__checksum_parts;
verso__checksum_parts *verso__checksum_parts_new(void);
void verso__checksum_parts_free(verso__checksum_parts *parts); /* no-op on NULL */
void verso__checksum_parts_begin(verso__checksum_parts *parts);
void verso__checksum_parts_add(verso__checksum_parts *parts, const void *bytes, size_t size);
verso_identity verso__checksum_parts_end(const verso__checksum_parts *parts);

static inline bool verso__identity_equal(verso_identity a, verso_identity b) {
    return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

#endif
