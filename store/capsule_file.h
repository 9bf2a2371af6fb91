/* The format of a capsule file, and the checks of its header and contents. docs/capsules.md describes the format
 * for users.
 *
 *   offset  bytes  contents (little-endian)
 *        0      8  magic "versocap"
 *        8      4  version of the format, 1
 *       12      4  kind: 0 state, 1 adjoint
 *       16      8  flags: bit 0 is set if the payload is one zstd frame; the others are 0
 *       24     16  identity of the program
 *       40     16  identity of the run
 *       56      8  step
 *       64      8  length of the capsule
 *       72      8  length of the payload, which extends from offset 104 to the end of the file
 *       80     16  XXH3-128 of the payload, low word first
 *       96      8  XXH3-64 of the preceding 96 bytes
 *      104         payload: the capsule, possibly compressed
 *
 * A checksum covers every byte, and the header contains the length of the file, so that any change, truncation or
 * extension is detected. Readers use a length only after the header's checksum matches and only if it agrees with
 * the size of the file. */
#ifndef VERSO_STORE_CAPSULE_FILE_H
#define VERSO_STORE_CAPSULE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/capsule.h>
#include <verso/identity.h>

enum { VERSO_CAPSULE_HEADER = 104, VERSO_CAPSULE_VERSION = 1, VERSO_CAPSULE_ZSTD = 1 };

/* Identifies a capsule. */
typedef struct verso__capsule_label {
    verso_capsule_kind kind;
    uint64_t step;
    verso_identity program;
    verso_identity run;
} verso__capsule_label;

typedef struct verso__capsule_header {
    verso__capsule_label label;
    uint64_t flags;
    uint64_t length;         /* length of the capsule in bytes */
    uint64_t stored;         /* length of the payload in bytes */
    verso_identity checksum; /* of the payload */
} verso__capsule_header;

/* Writes the header to `bytes`, which has room for VERSO_CAPSULE_HEADER bytes. */
void verso__capsule_header_write(const verso__capsule_header *header, unsigned char *bytes);

/* Reads the header from the first `size` bytes (at most VERSO_CAPSULE_HEADER are used) of a file of `file_size`
 * bytes. All errors are VERSO_STATUS_CORRUPT and name `path`. */
verso_status verso__capsule_header_read(const unsigned char *bytes, size_t size, uint64_t file_size, const char *path,
                                        verso__capsule_header *header, verso_error *error);
/* Returns VERSO_STATUS_CORRUPT, with a message that says what was expected, unless the header has the label
 * `expected`. */
verso_status verso__capsule_header_match(const verso__capsule_header *header, const verso__capsule_label *expected,
                                         const char *path, verso_error *error);
/* Returns VERSO_STATUS_CORRUPT unless `found`, the checksum of the payload, is that in the header. */
verso_status verso__capsule_checksum_match(const verso__capsule_header *header, verso_identity found, const char *path,
                                           verso_error *error);

/* Reads a capsule file that is in memory; for the fuzzer. The caller frees *capsule with verso__dealloc; it is NULL
 * after an error. */
verso_status verso__capsule_parse(const void *bytes, size_t size, const verso__capsule_label *expected,
                                  const char *path, void **capsule, size_t *length, verso_error *error);

#endif
