/* See capsule_file.h. */
#include "store/capsule_file.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/words.h"
#include "store/name.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>

enum {
    VERSION_AT = 8, /* offset of version and kind, 32 bits each */
    FIELDS_AT = 16, /* offset of the other fields */
    SEAL_AT = 96,   /* offset of the header's own checksum */
    /* An upper bound of zstd's compression ratio: a block takes at least 4 bytes and holds at most 128 KiB. */
    RATIO_MAX = (128 << 10) / 4,
};

static const char magic[8] = {'v', 'e', 'r', 's', 'o', 'c', 'a', 'p'};

/* ---- The header ---- */

void verso__capsule_header_write(const verso__capsule_header *header, unsigned char *bytes) {
    unsigned char *at = bytes + VERSION_AT;
    memcpy(bytes, magic, sizeof magic);
    verso__put_word(&at, VERSO_CAPSULE_VERSION | (uint64_t)header->label.kind << 32);
    verso__put_word(&at, header->flags);
    verso__put_identity(&at, header->label.program);
    verso__put_identity(&at, header->label.run);
    verso__put_word(&at, header->label.step);
    verso__put_word(&at, header->length);
    verso__put_word(&at, header->stored);
    verso__put_identity(&at, header->checksum);
    verso__put_word(&at, verso__checksum(bytes, SEAL_AT));
}

static uint64_t word_at(const unsigned char *bytes, size_t offset) {
    const unsigned char *at = bytes + offset;
    return verso__get_word(&at);
}

/* Checks magic, version and checksum of a header. Only then may its fields be used. */
static verso_status check_seal(const unsigned char *bytes, size_t size, const char *path, verso_error *error) {
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is not a capsule: it does not begin with \"%.8s\"", path,
                           magic);
    if (size < FIELDS_AT)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is truncated: %zu bytes, expected a header of %d", path,
                           size, VERSO_CAPSULE_HEADER);
    uint64_t version = (uint32_t)word_at(bytes, VERSION_AT);
    if (version > VERSO_CAPSULE_VERSION)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "'%s' has format version %" PRIu64
                           ", newer than %d, the newest that this Verso reads; use a "
                           "newer Verso",
                           path, version, VERSO_CAPSULE_VERSION);
    if (version != VERSO_CAPSULE_VERSION)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' has format version %" PRIu64 ", expected %d", path,
                           version, VERSO_CAPSULE_VERSION);
    if (size < VERSO_CAPSULE_HEADER)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is truncated: %zu bytes, expected a header of %d", path,
                           size, VERSO_CAPSULE_HEADER);
    uint64_t seal = word_at(bytes, SEAL_AT), found = verso__checksum(bytes, SEAL_AT);
    if (seal != found)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "'%s' is damaged: its header has checksum %016" PRIx64 ", expected %016" PRIx64, path, found,
                           seal);
    return VERSO_STATUS_OK;
}

/* Checks that the fields of the header are valid and agree with the size of the file. */
static verso_status check_fields(const verso__capsule_header *header, uint64_t file_size, const char *path,
                                 verso_error *error) {
    if (!verso__capsule_known(header->label.kind))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' holds a capsule of kind %u, expected less than %d", path,
                           (unsigned)header->label.kind, VERSO_CAPSULE_KINDS);
    if ((header->flags & ~(uint64_t)VERSO_CAPSULE_ZSTD) != 0)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' has flags %" PRIx64 ", expected 0 or %d", path,
                           header->flags, VERSO_CAPSULE_ZSTD);
    uint64_t after = file_size - VERSO_CAPSULE_HEADER;
    if (header->stored != after)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "'%s' is %s: %" PRIu64 " bytes after the header, expected %" PRIu64, path,
                           after < header->stored ? "truncated" : "too long", after, header->stored);
    bool packed = (header->flags & VERSO_CAPSULE_ZSTD) != 0;
    if (packed ? header->length / RATIO_MAX > header->stored : header->length != header->stored)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "'%s' claims a capsule of %" PRIu64 " bytes, which %" PRIu64 " %sbytes cannot hold", path,
                           header->length, header->stored, packed ? "compressed " : "");
    if (header->length > SIZE_MAX / 2)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "'%s' claims a capsule of %" PRIu64 " bytes, expected at most %zu", path, header->length,
                           SIZE_MAX / 2);
    return VERSO_STATUS_OK;
}

verso_status verso__capsule_header_read(const unsigned char *bytes, size_t size, uint64_t file_size, const char *path,
                                        verso__capsule_header *header, verso_error *error) {
    verso_status status = check_seal(bytes, size, path, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__words words = {.at = bytes + FIELDS_AT, .left = SEAL_AT - FIELDS_AT};
    header->label.kind = (verso_capsule_kind)(word_at(bytes, VERSION_AT) >> 32);
    header->flags = verso__take_word(&words);
    header->label.program = verso__take_identity(&words);
    header->label.run = verso__take_identity(&words);
    header->label.step = verso__take_word(&words);
    header->length = verso__take_word(&words);
    header->stored = verso__take_word(&words);
    header->checksum = verso__take_identity(&words);
    return check_fields(header, file_size, path, error);
}

static verso_status wrong_identity(verso_error *error, const char *path, const char *what, verso_identity found,
                                   verso_identity expected) {
    return verso__fail(error, VERSO_STATUS_CORRUPT,
                       "'%s' belongs to %s %016" PRIx64 "%016" PRIx64 ", expected %016" PRIx64 "%016" PRIx64, path,
                       what, found.words[1], found.words[0], expected.words[1], expected.words[0]);
}

verso_status verso__capsule_header_match(const verso__capsule_header *header, const verso__capsule_label *expected,
                                         const char *path, verso_error *error) {
    const verso__capsule_label *found = &header->label;
    if (!verso__identity_equal(found->program, expected->program))
        return wrong_identity(error, path, "program", found->program, expected->program);
    if (!verso__identity_equal(found->run, expected->run))
        return wrong_identity(error, path, "run", found->run, expected->run);
    if (found->kind != expected->kind)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' holds a capsule of kind %s, expected %s", path,
                           verso__capsule_word(found->kind), verso__capsule_word(expected->kind));
    if (found->step != expected->step)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' holds step %" PRIu64 ", expected %" PRIu64, path,
                           found->step, expected->step);
    return VERSO_STATUS_OK;
}

verso_status verso__capsule_checksum_match(const verso__capsule_header *header, verso_identity found, const char *path,
                                           verso_error *error) {
    if (verso__identity_equal(header->checksum, found))
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_CORRUPT,
                       "'%s' is damaged: its payload has checksum %016" PRIx64 "%016" PRIx64 ", expected %016" PRIx64
                       "%016" PRIx64,
                       path, found.words[1], found.words[0], header->checksum.words[1], header->checksum.words[0]);
}

/* ---- A whole file ---- */

static verso_status unpack(const verso__capsule_header *header, const unsigned char *stored, const char *path,
                           void *capsule, verso_error *error) {
    if ((header->flags & VERSO_CAPSULE_ZSTD) == 0) {
        memcpy(capsule, stored, (size_t)header->length);
        return VERSO_STATUS_OK;
    }
    /* The payload must be exactly one frame: ZSTD_decompress would accept several. */
    size_t frame = ZSTD_findFrameCompressedSize(stored, (size_t)header->stored);
    if (ZSTD_isError(frame) || frame != header->stored)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is damaged: its payload is not one zstd frame", path);
    size_t length = ZSTD_decompress(capsule, (size_t)header->length, stored, (size_t)header->stored);
    if (ZSTD_isError(length))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is damaged: it cannot be decompressed: %s", path,
                           ZSTD_getErrorName(length));
    if (length != header->length)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "'%s' is damaged: decompressed it has %zu bytes, expected %" PRIu64, path, length,
                           header->length);
    return VERSO_STATUS_OK;
}

verso_status verso__capsule_parse(const void *bytes, size_t size, const verso__capsule_label *expected,
                                  const char *path, void **capsule, size_t *length, verso_error *error) {
    verso__capsule_header header;
    const unsigned char *stored = (const unsigned char *)bytes + VERSO_CAPSULE_HEADER;
    *capsule = NULL;
    size_t head = size < VERSO_CAPSULE_HEADER ? size : VERSO_CAPSULE_HEADER;
    verso_status status = verso__capsule_header_read(bytes, head, size, path, &header, error);
    if (status == VERSO_STATUS_OK)
        status = verso__capsule_header_match(&header, expected, path, error);
    if (status == VERSO_STATUS_OK)
        status =
            verso__capsule_checksum_match(&header, verso__checksum_wide(stored, (size_t)header.stored), path, error);
    if (status != VERSO_STATUS_OK)
        return status;
    void *made = verso__alloc((size_t)header.length, 1);
    if (made == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the %" PRIu64 " bytes of '%s'", header.length,
                           path);
    status = unpack(&header, stored, path, made, error);
    if (status != VERSO_STATUS_OK) {
        verso__dealloc(made);
        return status;
    }
    *capsule = made;
    *length = (size_t)header.length;
    return VERSO_STATUS_OK;
}
