/* Compressed capsules: the part of capsule_io that knows zstd. */
#ifndef VERSO_STORE_CAPSULE_ZSTD_H
#define VERSO_STORE_CAPSULE_ZSTD_H

#include "store/capsule_io.h"

/* Header and frame; fills in flags, stored length and checksum. */
verso_status verso_zstd_write(verso_capsule_io *io, verso_file *file, const verso_capsule_source *source,
                              verso_capsule_header *header, verso_error *error);
/* From behind the header of io->file. */
verso_status verso_zstd_read(verso_capsule_io *io, void *bytes, verso_error *error);
void verso_zstd_free(verso_capsule_io *io);

/* The message of a file that must not become so long. */
verso_status verso_capsule_too_long(const char *path, uint64_t most, verso_error *error);

#endif
