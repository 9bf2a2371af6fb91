/* Capsules to and from files, in the format of capsule_file.h. Compressed ones are streamed through one small chunk, so
 * that no second copy of a capsule is ever in memory; their header, which has the checksum of what was stored, is
 * written last. Seconds are counted around system calls only. */
#ifndef VERSO_STORE_CAPSULE_IO_H
#define VERSO_STORE_CAPSULE_IO_H

#include "base/checksum.h"
#include "base/file.h"
#include "store/capsule_file.h"

/* What one thread needs for it; all 0 to begin with. What compression needs is made when it is first met. */
typedef struct verso_capsule_io {
    const verso_system *system;
    void *compressor, *decompressor; /* of zstd */
    verso_checksum_parts *parts;
    unsigned char *chunk;
    verso_file file; /* while one is read */
    uint64_t size;   /* of the last one that was opened for reading, whether it is a capsule or not */
    verso_capsule_header header;
    double seconds; /* that system calls took; for the caller to count and to set to 0 */
} verso_capsule_io;

void verso_capsule_io_init(verso_capsule_io *io, const verso_system *system);
void verso_capsule_io_free(verso_capsule_io *io);

typedef struct verso_capsule_source {
    const verso_capsule_label *label;
    const void *bytes;
    size_t length;
    int level;     /* of zstd; 0: not compressed */
    bool durable;  /* sync before closing */
    uint64_t most; /* the most bytes that the file may have */
} verso_capsule_source;

/* Writes the file at `path`, which is made or made anew. *size: its bytes. VERSO_IMPOSSIBLE when it would be longer
 * than `most`. After an error the file is removed, if it can be. */
verso_status verso_capsule_write(verso_capsule_io *io, const char *path, const verso_capsule_source *source,
                                 uint64_t *size, verso_error *error);

/* Opens the file and checks its header, which is then in io->header, against `expected` unless that is NULL. The file
 * stays open only when this succeeds; `path` must stay, too. */
verso_status verso_capsule_open(verso_capsule_io *io, const char *path, const verso_capsule_label *expected,
                                verso_error *error);
/* The capsule: `bytes` has room for io->header.length. Then, in any case, the file is closed. */
verso_status verso_capsule_read(verso_capsule_io *io, void *bytes, verso_error *error);
/* Instead of reading. */
void verso_capsule_close(verso_capsule_io *io);

#endif
