/* See capsule_io.h: opening, closing, and capsules that are stored as they are. Compressed ones: capsule_zstd.c. */
#include "store/capsule_io.h"

#include "base/alloc.h"
#include "store/capsule_zstd.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

void verso_capsule_io_init(verso_capsule_io *io, const verso_system *system) {
    *io = (verso_capsule_io){.system = system, .file = {.handle = -1}};
}

void verso_capsule_io_free(verso_capsule_io *io) {
    verso_capsule_close(io);
    verso_zstd_free(io);
    verso_checksum_parts_free(io->parts);
    verso_dealloc(io->chunk);
}

/* ---- Writing ---- */

static verso_status write_plain(verso_capsule_io *io, verso_file *file, const verso_capsule_source *source,
                                verso_capsule_header *header, verso_error *error) {
    unsigned char bytes[VERSO_CAPSULE_HEADER];
    header->stored = source->length;
    header->checksum = verso_checksum_wide(source->bytes, source->length);
    verso_capsule_header_write(header, bytes);
    double start = verso_now();
    verso_status status = verso_file_write(file, bytes, sizeof bytes, error);
    if (status == VERSO_OK)
        status = verso_file_write(file, source->bytes, source->length, error);
    io->seconds += verso_now() - start;
    return status;
}

static verso_status write_contents(verso_capsule_io *io, verso_file *file, const verso_capsule_source *source,
                                   uint64_t *size, verso_error *error) {
    verso_capsule_header header = {.label = *source->label, .length = source->length};
    verso_status status = VERSO_OK;
    if (source->level != 0)
        status = verso_zstd_write(io, file, source, &header, error);
    else if (source->most < VERSO_CAPSULE_HEADER || source->length > source->most - VERSO_CAPSULE_HEADER)
        status = verso_capsule_too_long(file->path, source->most, error);
    else
        status = write_plain(io, file, source, &header, error);
    *size = VERSO_CAPSULE_HEADER + header.stored;
    return status;
}

verso_status verso_capsule_too_long(const char *path, uint64_t most, verso_error *error) {
    return verso_fail(error, VERSO_IMPOSSIBLE,
                      "'%s' would need more than the %" PRIu64 " bytes that are left of the disk budget; give more",
                      path, most);
}

verso_status verso_capsule_write(verso_capsule_io *io, const char *path, const verso_capsule_source *source,
                                 uint64_t *size, verso_error *error) {
    verso_file file;
    double start = verso_now();
    verso_status status = verso_file_open(io->system, path, O_WRONLY | O_CREAT | O_TRUNC, &file, error);
    io->seconds += verso_now() - start;
    if (status != VERSO_OK)
        return status;
    status = write_contents(io, &file, source, size, error);
    start = verso_now();
    if (status == VERSO_OK && source->durable)
        status = verso_file_sync(&file, error);
    verso_status closed = verso_file_close(&file, status == VERSO_OK ? error : NULL);
    status = status == VERSO_OK ? closed : status;
    if (status != VERSO_OK)
        (void)verso_file_remove(io->system, path, NULL); /* opening the store removes it, too */
    io->seconds += verso_now() - start;
    return status;
}

/* ---- Reading ---- */

static verso_status read_header(verso_capsule_io *io, unsigned char *bytes, size_t *got, verso_error *error) {
    double start = verso_now();
    verso_status status = verso_file_size(&io->file, &io->size, error);
    if (status == VERSO_OK)
        status = verso_file_read(&io->file, bytes, VERSO_CAPSULE_HEADER, got, error);
    io->seconds += verso_now() - start;
    return status;
}

verso_status verso_capsule_open(verso_capsule_io *io, const char *path, const verso_capsule_label *expected,
                                verso_error *error) {
    unsigned char bytes[VERSO_CAPSULE_HEADER];
    size_t got;
    double start = verso_now();
    verso_status status = verso_file_open(io->system, path, O_RDONLY, &io->file, error);
    io->seconds += verso_now() - start;
    if (status != VERSO_OK)
        return status;
    status = read_header(io, bytes, &got, error);
    if (status == VERSO_OK)
        status = verso_capsule_header_read(bytes, got, io->size, path, &io->header, error);
    if (status == VERSO_OK && expected != NULL)
        status = verso_capsule_header_match(&io->header, expected, path, error);
    if (status != VERSO_OK)
        verso_capsule_close(io);
    return status;
}

/* The size was checked when the file was opened; one that has become shorter since is still no capsule. */
static verso_status read_plain(verso_capsule_io *io, void *bytes, verso_error *error) {
    size_t length = (size_t)io->header.length, got;
    double start = verso_now();
    verso_status status = verso_file_read(&io->file, bytes, length, &got, error);
    io->seconds += verso_now() - start;
    if (status != VERSO_OK)
        return status;
    if (got != length)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is truncated: %zu bytes behind the header, expected %zu",
                          io->file.path, got, length);
    return verso_capsule_checksum_match(&io->header, verso_checksum_wide(bytes, length), io->file.path, error);
}

verso_status verso_capsule_read(verso_capsule_io *io, void *bytes, verso_error *error) {
    verso_status status =
        (io->header.flags & VERSO_CAPSULE_ZSTD) != 0 ? verso_zstd_read(io, bytes, error) : read_plain(io, bytes, error);
    verso_capsule_close(io);
    return status;
}

/* What was read is checked by its checksum, so an error of closing says nothing. */
void verso_capsule_close(verso_capsule_io *io) {
    double start = io->file.handle >= 0 ? verso_now() : 0;
    if (io->file.handle >= 0) {
        (void)verso_file_close(&io->file, NULL);
        io->seconds += verso_now() - start;
    }
}
