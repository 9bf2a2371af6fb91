/* See capsule_io.h. Opens and closes files, and writes and reads uncompressed capsules; capsule_zstd.c handles
 * compressed ones. */
#include "store/capsule_io.h"

#include "base/alloc.h"
#include "store/capsule_zstd.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

void verso__capsule_io_init(verso__capsule_io *io, const verso__system *system) {
    *io = (verso__capsule_io){.system = system, .file = {.handle = -1}};
}

void verso__capsule_io_free(verso__capsule_io *io) {
    verso__capsule_close(io);
    verso__zstd_free(io);
    verso__checksum_parts_free(io->parts);
    verso__dealloc(io->chunk);
}

/* ---- Writing ---- */

static verso_status write_plain(verso__capsule_io *io, verso__file *file, const verso__capsule_source *source,
                                verso__capsule_header *header, verso_error *error) {
    unsigned char bytes[VERSO_CAPSULE_HEADER];
    header->stored = source->length;
    header->checksum = verso__checksum_wide(source->bytes, source->length);
    verso__capsule_header_write(header, bytes);
    double start = verso__now();
    verso_status status = verso__file_write(file, bytes, sizeof bytes, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_write(file, source->bytes, source->length, error);
    io->seconds += verso__now() - start;
    return status;
}

static verso_status write_contents(verso__capsule_io *io, verso__file *file, const verso__capsule_source *source,
                                   uint64_t *size, verso_error *error) {
    verso__capsule_header header = {.label = *source->label, .length = source->length};
    verso_status status = VERSO_STATUS_OK;
    if (source->level != 0)
        status = verso__zstd_write(io, file, source, &header, error);
    else if (source->most < VERSO_CAPSULE_HEADER || source->length > source->most - VERSO_CAPSULE_HEADER)
        status = verso__capsule_too_long(file->path, source->most, error);
    else
        status = write_plain(io, file, source, &header, error);
    *size = VERSO_CAPSULE_HEADER + header.stored;
    return status;
}

verso_status verso__capsule_too_long(const char *path, uint64_t most, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                       "'%s' does not fit into the %" PRIu64
                       " bytes that are left of the disk budget; increase the budget",
                       path, most);
}

verso_status verso__capsule_write(verso__capsule_io *io, const char *path, const verso__capsule_source *source,
                                  uint64_t *size, verso_error *error) {
    verso__file file;
    double start = verso__now();
    verso_status status = verso__file_open_own(io->system, path, O_WRONLY | O_CREAT | O_TRUNC, &file, error);
    io->seconds += verso__now() - start;
    if (status != VERSO_STATUS_OK)
        return status;
    status = write_contents(io, &file, source, size, error);
    start = verso__now();
    if (status == VERSO_STATUS_OK && source->durable)
        status = verso__file_sync(&file, error);
    verso_status closed = verso__file_close(&file, status == VERSO_STATUS_OK ? error : NULL);
    status = status == VERSO_STATUS_OK ? closed : status;
    if (status != VERSO_STATUS_OK)
        (void)verso__file_remove(io->system, path, NULL); /* if this fails, the next opening of the store removes it */
    io->seconds += verso__now() - start;
    return status;
}

/* ---- Reading ---- */

static verso_status read_header(verso__capsule_io *io, unsigned char *bytes, size_t *got, verso_error *error) {
    double start = verso__now();
    verso_status status = verso__file_size(&io->file, &io->size, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_read(&io->file, bytes, VERSO_CAPSULE_HEADER, got, error);
    io->seconds += verso__now() - start;
    return status;
}

verso_status verso__capsule_open(verso__capsule_io *io, const char *path, const verso__capsule_label *expected,
                                 verso_error *error) {
    unsigned char bytes[VERSO_CAPSULE_HEADER];
    size_t got;
    double start = verso__now();
    verso_status status = verso__file_open_own(io->system, path, O_RDONLY, &io->file, error);
    io->seconds += verso__now() - start;
    if (status != VERSO_STATUS_OK)
        return status;
    status = read_header(io, bytes, &got, error);
    if (status == VERSO_STATUS_OK)
        status = verso__capsule_header_read(bytes, got, io->size, path, &io->header, error);
    if (status == VERSO_STATUS_OK && expected != NULL)
        status = verso__capsule_header_match(&io->header, expected, path, error);
    if (status != VERSO_STATUS_OK)
        verso__capsule_close(io);
    return status;
}

/* The size was checked when the file was opened, but the file may have become shorter since. */
static verso_status read_plain(verso__capsule_io *io, void *bytes, verso_error *error) {
    size_t length = (size_t)io->header.length, got;
    double start = verso__now();
    verso_status status = verso__file_read(&io->file, bytes, length, &got, error);
    io->seconds += verso__now() - start;
    if (status != VERSO_STATUS_OK)
        return status;
    if (got != length)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is truncated: %zu bytes after the header, expected %zu",
                           io->file.path, got, length);
    return verso__capsule_checksum_match(&io->header, verso__checksum_wide(bytes, length), io->file.path, error);
}

verso_status verso__capsule_read(verso__capsule_io *io, void *bytes, verso_error *error) {
    verso_status status = (io->header.flags & VERSO_CAPSULE_ZSTD) != 0 ? verso__zstd_read(io, bytes, error)
                                                                       : read_plain(io, bytes, error);
    verso__capsule_close(io);
    return status;
}

/* An error of closing is ignored: the checksum verifies what was read. */
void verso__capsule_close(verso__capsule_io *io) {
    double start = io->file.handle >= 0 ? verso__now() : 0;
    if (io->file.handle >= 0) {
        (void)verso__file_close(&io->file, NULL);
        io->seconds += verso__now() - start;
    }
}
