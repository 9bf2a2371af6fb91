/* Compressed capsules: the part of capsule_io that uses zstd. */
#ifndef VERSO_STORE_CAPSULE_ZSTD_H
#define VERSO_STORE_CAPSULE_ZSTD_H

#include "store/capsule_io.h"

/* Writes the header and the compressed payload. Sets flags, stored length and checksum in `header`. */
verso_status verso__zstd_write(verso__capsule_io *io, verso__file *file, const verso__capsule_source *source,
                               verso__capsule_header *header, verso_error *error);
/* Reads the payload of io->file, whose position is after the header, and decompresses it to `bytes`. */
verso_status verso__zstd_read(verso__capsule_io *io, void *bytes, verso_error *error);
/* Frees the zstd contexts of `io`. */
void verso__zstd_free(verso__capsule_io *io);

/* Returns VERSO_STATUS_IMPOSSIBLE with the message that the file would exceed `most` bytes. */
verso_status verso__capsule_too_long(const char *path, uint64_t most, verso_error *error);

#endif
