/* See capsule_zstd.h. Compression and decompression use one chunk of 64 KiB. zstd's own tables, whose size depends
 * on the level (up to 1.3 MiB at level 1, 3.5 at 3, 17 at 9, 70 at 15), are allocated once per thread. */
#include "store/capsule_zstd.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <zstd.h>

enum { CHUNK = 64 << 10 };

static verso_status no_memory(const char *path, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to compress or decompress '%s'", path);
}

static verso_status prepare(verso__capsule_io *io, const char *path, verso_error *error) {
    if (io->chunk == NULL)
        io->chunk = verso__alloc(CHUNK, 1);
    if (io->parts == NULL)
        io->parts = verso__checksum_parts_new();
    if (io->chunk == NULL || io->parts == NULL)
        return no_memory(path, error);
    verso__checksum_parts_begin(io->parts);
    return VERSO_STATUS_OK;
}

void verso__zstd_free(verso__capsule_io *io) {
    ZSTD_freeCCtx(io->compressor);
    ZSTD_freeDCtx(io->decompressor);
}

/* ---- Writing ---- */

static verso_status prepare_compressor(verso__capsule_io *io, const char *path, const verso__capsule_source *source,
                                       verso_error *error) {
    verso_status status = prepare(io, path, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (io->compressor == NULL)
        io->compressor = ZSTD_createCCtx();
    if (io->compressor == NULL)
        return no_memory(path, error);
    size_t result = ZSTD_CCtx_reset(io->compressor, ZSTD_reset_session_and_parameters);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setParameter(io->compressor, ZSTD_c_compressionLevel, source->level);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setPledgedSrcSize(io->compressor, source->length);
    if (ZSTD_isError(result))
        return verso__fail(error, VERSO_STATUS_INVALID, "zstd cannot compress at level %d: %s", source->level,
                           ZSTD_getErrorName(result));
    return VERSO_STATUS_OK;
}

/* Compresses the next chunk of the frame. Sets *over if it is the last. */
static verso_status compress_chunk(verso__capsule_io *io, const char *path, ZSTD_inBuffer *input, size_t *made,
                                   bool *over, verso_error *error) {
    ZSTD_outBuffer output = {io->chunk, CHUNK, 0};
    size_t left = ZSTD_compressStream2(io->compressor, &output, input, ZSTD_e_end);
    if (ZSTD_isError(left))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "cannot compress '%s': %s", path, ZSTD_getErrorName(left));
    *made = output.pos;
    *over = left == 0;
    return VERSO_STATUS_OK;
}

static verso_status write_frame(verso__capsule_io *io, verso__file *file, const verso__capsule_source *source,
                                verso__capsule_header *header, verso_error *error) {
    ZSTD_inBuffer input = {source->bytes, source->length, 0};
    bool over = false;
    while (!over) {
        size_t made = 0;
        verso_status status = compress_chunk(io, file->path, &input, &made, &over, error);
        if (status != VERSO_STATUS_OK)
            return status;
        header->stored += made;
        if (source->most < VERSO_CAPSULE_HEADER || header->stored > source->most - VERSO_CAPSULE_HEADER)
            return verso__capsule_too_long(file->path, source->most, error);
        verso__checksum_parts_add(io->parts, io->chunk, made);
        double start = verso__now();
        status = verso__file_write(file, io->chunk, made, error);
        io->seconds += verso__now() - start;
        if (status != VERSO_STATUS_OK)
            return status;
    }
    return VERSO_STATUS_OK;
}

/* Writes an empty header first and the real one last, because it contains the checksum of the payload. */
verso_status verso__zstd_write(verso__capsule_io *io, verso__file *file, const verso__capsule_source *source,
                               verso__capsule_header *header, verso_error *error) {
    unsigned char bytes[VERSO_CAPSULE_HEADER] = {0};
    verso_status status = prepare_compressor(io, file->path, source, error);
    if (status != VERSO_STATUS_OK)
        return status;
    double start = verso__now();
    status = verso__file_write(file, bytes, sizeof bytes, error);
    io->seconds += verso__now() - start;
    if (status == VERSO_STATUS_OK)
        status = write_frame(io, file, source, header, error);
    if (status != VERSO_STATUS_OK)
        return status;
    header->flags = VERSO_CAPSULE_ZSTD;
    header->checksum = verso__checksum_parts_end(io->parts);
    verso__capsule_header_write(header, bytes);
    start = verso__now();
    status = verso__file_write_at(file, bytes, sizeof bytes, 0, error);
    io->seconds += verso__now() - start;
    return status;
}

/* ---- Reading ---- */

static verso_status damaged(const verso__capsule_io *io, const char *what, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is damaged: %s", io->file.path, what);
}

static verso_status next_chunk(verso__capsule_io *io, uint64_t left, ZSTD_inBuffer *input, verso_error *error) {
    size_t got, wanted = left < CHUNK ? (size_t)left : CHUNK;
    double start = verso__now();
    verso_status status = verso__file_read(&io->file, io->chunk, wanted, &got, error);
    io->seconds += verso__now() - start;
    if (status != VERSO_STATUS_OK)
        return status;
    if (got != wanted)
        return damaged(io, "it became shorter while it was read", error);
    verso__checksum_parts_add(io->parts, io->chunk, got);
    *input = (ZSTD_inBuffer){io->chunk, got, 0};
    return VERSO_STATUS_OK;
}

/* Decompresses the chunk. Sets *over if the frame has ended. */
static verso_status decompress_chunk(verso__capsule_io *io, ZSTD_inBuffer *input, ZSTD_outBuffer *output, bool *over,
                                     verso_error *error) {
    while (input->pos < input->size) {
        if (*over)
            return damaged(io, "bytes follow the zstd frame", error);
        size_t before = input->pos + output->pos;
        size_t left = ZSTD_decompressStream(io->decompressor, output, input);
        if (ZSTD_isError(left))
            return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is damaged: it cannot be decompressed: %s",
                               io->file.path, ZSTD_getErrorName(left));
        *over = left == 0;
        if (!*over && input->pos + output->pos == before)
            return verso__fail(error, VERSO_STATUS_CORRUPT,
                               "'%s' is damaged: decompressed it has more than %" PRIu64 " bytes", io->file.path,
                               io->header.length);
    }
    return VERSO_STATUS_OK;
}

static verso_status read_frame(verso__capsule_io *io, ZSTD_outBuffer *output, bool *over, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    for (uint64_t left = io->header.stored; left > 0 && status == VERSO_STATUS_OK;) {
        ZSTD_inBuffer input;
        status = next_chunk(io, left, &input, error);
        if (status != VERSO_STATUS_OK)
            return status;
        left -= input.size;
        status = decompress_chunk(io, &input, output, over, error);
    }
    return status;
}

verso_status verso__zstd_read(verso__capsule_io *io, void *bytes, verso_error *error) {
    verso_status status = prepare(io, io->file.path, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (io->decompressor == NULL)
        io->decompressor = ZSTD_createDCtx();
    if (io->decompressor == NULL)
        return no_memory(io->file.path, error);
    ZSTD_DCtx_reset(io->decompressor, ZSTD_reset_session_only); /* cannot fail */
    ZSTD_outBuffer output = {bytes, (size_t)io->header.length, 0};
    bool over = false;
    status = read_frame(io, &output, &over, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (!over || output.pos != output.size)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "'%s' is damaged: decompressed it has %zu bytes, expected %" PRIu64, io->file.path,
                           output.pos, io->header.length);
    return verso__capsule_checksum_match(&io->header, verso__checksum_parts_end(io->parts), io->file.path, error);
}
