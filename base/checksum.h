/* Checksums of what is written and read back. They find damage, not malice. */
#ifndef VERSO_BASE_CHECKSUM_H
#define VERSO_BASE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/identity.h>

/* XXH3, 64 bits: for what is small. */
uint64_t verso_checksum(const void *bytes, size_t size);
/* XXH3, 128 bits: for capsules and journals, and to tell programs and runs apart. */
verso_identity verso_checksum_wide(const void *bytes, size_t size);
/* The same with a seed: records that are chained, inputs that are added one after the other. */
verso_identity verso_checksum_chain(verso_identity before, const void *bytes, size_t size);

/* The wide one of bytes that come in parts. NULL: no memory. */
typedef struct verso_checksum_parts verso_checksum_parts;
verso_checksum_parts *verso_checksum_parts_new(void);
void verso_checksum_parts_free(verso_checksum_parts *parts); /* NULL is nothing */
void verso_checksum_parts_begin(verso_checksum_parts *parts);
void verso_checksum_parts_add(verso_checksum_parts *parts, const void *bytes, size_t size);
verso_identity verso_checksum_parts_end(const verso_checksum_parts *parts);

static inline bool verso_identity_equal(verso_identity a, verso_identity b) {
    return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

#endif
