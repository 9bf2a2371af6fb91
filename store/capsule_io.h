/* Writes capsules to files and reads them, in the format of capsule_file.h. Compressed capsules are streamed
 * through one small chunk, so that memory never holds a second copy of a capsule. The header contains the checksum
 * of the payload and is therefore written last. */
#ifndef VERSO_STORE_CAPSULE_IO_H
#define VERSO_STORE_CAPSULE_IO_H

#include "base/checksum.h"
#include "base/file.h"
#include "store/capsule_file.h"

/* The buffers of one thread. Initialise with verso__capsule_io_init. Resources for compression are allocated at
 * first use. */
typedef struct verso__capsule_io {
    const verso__system *system;
    void *compressor, *decompressor; /* contexts of zstd; NULL until needed */
    verso__checksum_parts *parts;
    unsigned char *chunk;
    verso__file file; /* the file that is being read */
    uint64_t size;    /* size in bytes of the file that was last opened for reading, whether or not it is a capsule */
    verso__capsule_header header; /* of the file that was last opened for reading */
    double seconds;               /* time spent in system calls; the caller adds it up and resets it to 0 */
} verso__capsule_io;

void verso__capsule_io_init(verso__capsule_io *io, const verso__system *system);
/* Closes the file if it is open and frees all buffers. */
void verso__capsule_io_free(verso__capsule_io *io);

typedef struct verso__capsule_source {
    const verso__capsule_label *label;
    const void *bytes;
    size_t length;
    int level;     /* zstd level; 0: not compressed */
    bool durable;  /* sync the file before closing it */
    uint64_t most; /* maximum size of the file in bytes */
} verso__capsule_source;

/* Creates or overwrites the file at `path` and sets *size to its size in bytes. Returns VERSO_STATUS_IMPOSSIBLE if
 * the file would be longer than `most`. After an error it tries to remove the file. */
verso_status verso__capsule_write(verso__capsule_io *io, const char *path, const verso__capsule_source *source,
                                  uint64_t *size, verso_error *error);

/* Opens a file, reads its header into io->header and compares it with `expected` unless that is NULL. On success
 * the file stays open, and the caller must keep `path` until it is closed. */
verso_status verso__capsule_open(verso__capsule_io *io, const char *path, const verso__capsule_label *expected,
                                 verso_error *error);
/* Reads the capsule from the open file to `bytes`, which has room for io->header.length bytes. Closes the file in
 * any case. */
verso_status verso__capsule_read(verso__capsule_io *io, void *bytes, verso_error *error);
/* Closes the open file without reading the capsule. */
void verso__capsule_close(verso__capsule_io *io);

#endif
