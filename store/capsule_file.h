/* The file of a capsule: its bytes, and how they are checked. docs/capsules.md describes the format for others.
 *
 *   offset  bytes  little-endian
 *        0      8  magic "versocap"
 *        8      4  version of the format, 1
 *       12      4  kind: 0 state, 1 adjoint
 *       16      8  flags: bit 0, what is stored is one zstd frame; all others 0
 *       24     16  identity of the program
 *       40     16  identity of the run
 *       56      8  step
 *       64      8  length of the capsule
 *       72      8  length of what is stored, from offset 104 to the end of the file
 *       80     16  XXH3-128 of what is stored, low word first
 *       96      8  XXH3-64 of the 96 bytes before
 *      104         what is stored
 *
 * Every byte is under a checksum, and the length of the file is in the header, so any change, truncation or extension
 * is found. No length is believed before the header's checksum fits, and none that the size of the file cannot back. */
#ifndef VERSO_STORE_CAPSULE_FILE_H
#define VERSO_STORE_CAPSULE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/capsule.h>
#include <verso/identity.h>

enum { VERSO_CAPSULE_HEADER = 104, VERSO_CAPSULE_VERSION = 1, VERSO_CAPSULE_ZSTD = 1 };

/* Which capsule it is. */
typedef struct verso_capsule_label {
    verso_capsule_kind kind;
    uint64_t step;
    verso_identity program;
    verso_identity run;
} verso_capsule_label;

typedef struct verso_capsule_header {
    verso_capsule_label label;
    uint64_t flags;
    uint64_t length; /* of the capsule */
    uint64_t stored; /* bytes behind the header */
    verso_identity checksum;
} verso_capsule_header;

/* VERSO_CAPSULE_HEADER bytes. */
void verso_capsule_header_write(const verso_capsule_header *header, unsigned char *bytes);

/* The first `size` bytes (at most a header's) of a file of `file_size`. All errors are VERSO_CORRUPT and name `path`.
 */
verso_status verso_capsule_header_read(const unsigned char *bytes, size_t size, uint64_t file_size, const char *path,
                                       verso_capsule_header *header, verso_error *error);
/* VERSO_CORRUPT, with what was expected, unless it is that capsule. */
verso_status verso_capsule_header_match(const verso_capsule_header *header, const verso_capsule_label *expected,
                                        const char *path, verso_error *error);
/* VERSO_CORRUPT unless the checksum of what is stored is the header's. */
verso_status verso_capsule_checksum_match(const verso_capsule_header *header, verso_identity found, const char *path,
                                          verso_error *error);

/* A whole file in memory: what the fuzzer calls. *capsule is allocated (verso_dealloc); NULL after an error. */
verso_status verso_capsule_parse(const void *bytes, size_t size, const verso_capsule_label *expected, const char *path,
                                 void **capsule, size_t *length, verso_error *error);

#endif
