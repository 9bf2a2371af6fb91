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
    VERSION_AT = 8, /* with the kind: 32 bits each */
    FIELDS_AT = 16,
    SEAL_AT = 96, /* the header's own checksum */
    /* The shortest block of a zstd frame is 4 bytes long, and no block holds more than 128 KiB. */
    RATIO_MAX = (128 << 10) / 4,
};

static const char magic[8] = {'v', 'e', 'r', 's', 'o', 'c', 'a', 'p'};

/* ---- The header ---- */

void verso_capsule_header_write(const verso_capsule_header *header, unsigned char *bytes) {
    unsigned char *at = bytes + VERSION_AT;
    memcpy(bytes, magic, sizeof magic);
    verso_put_word(&at, VERSO_CAPSULE_VERSION | (uint64_t)header->label.kind << 32);
    verso_put_word(&at, header->flags);
    verso_put_identity(&at, header->label.program);
    verso_put_identity(&at, header->label.run);
    verso_put_word(&at, header->label.step);
    verso_put_word(&at, header->length);
    verso_put_word(&at, header->stored);
    verso_put_identity(&at, header->checksum);
    verso_put_word(&at, verso_checksum(bytes, SEAL_AT));
}

static uint64_t word_at(const unsigned char *bytes, size_t offset) {
    const unsigned char *at = bytes + offset;
    return verso_get_word(&at);
}

/* Magic, version and checksum: whether the fields may be looked at. */
static verso_status check_seal(const unsigned char *bytes, size_t size, const char *path, verso_error *error) {
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is not a capsule: it does not begin with \"%.8s\"", path, magic);
    if (size < FIELDS_AT)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is truncated: %zu bytes, expected a header of %d", path, size,
                          VERSO_CAPSULE_HEADER);
    uint64_t version = (uint32_t)word_at(bytes, VERSION_AT);
    if (version > VERSO_CAPSULE_VERSION)
        return verso_fail(error, VERSO_CORRUPT,
                          "'%s' has format version %" PRIu64 ", newer than %d, the newest that this Verso reads; use a "
                          "newer Verso",
                          path, version, VERSO_CAPSULE_VERSION);
    if (version != VERSO_CAPSULE_VERSION)
        return verso_fail(error, VERSO_CORRUPT, "'%s' has format version %" PRIu64 ", expected %d", path, version,
                          VERSO_CAPSULE_VERSION);
    if (size < VERSO_CAPSULE_HEADER)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is truncated: %zu bytes, expected a header of %d", path, size,
                          VERSO_CAPSULE_HEADER);
    uint64_t seal = word_at(bytes, SEAL_AT), found = verso_checksum(bytes, SEAL_AT);
    if (seal != found)
        return verso_fail(error, VERSO_CORRUPT,
                          "'%s' is damaged: its header has checksum %016" PRIx64 ", expected %016" PRIx64, path, found,
                          seal);
    return VERSO_OK;
}

/* What a sealed header says must make sense and fit the file. */
static verso_status check_fields(const verso_capsule_header *header, uint64_t file_size, const char *path,
                                 verso_error *error) {
    if (!verso_capsule_known(header->label.kind))
        return verso_fail(error, VERSO_CORRUPT, "'%s' holds a capsule of kind %u, expected less than %d", path,
                          (unsigned)header->label.kind, VERSO_CAPSULE_KINDS);
    if ((header->flags & ~(uint64_t)VERSO_CAPSULE_ZSTD) != 0)
        return verso_fail(error, VERSO_CORRUPT, "'%s' has flags %" PRIx64 ", expected 0 or %d", path, header->flags,
                          VERSO_CAPSULE_ZSTD);
    uint64_t behind = file_size - VERSO_CAPSULE_HEADER;
    if (header->stored != behind)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is %s: %" PRIu64 " bytes behind the header, expected %" PRIu64,
                          path, behind < header->stored ? "truncated" : "too long", behind, header->stored);
    bool packed = (header->flags & VERSO_CAPSULE_ZSTD) != 0;
    if (packed ? header->length / RATIO_MAX > header->stored : header->length != header->stored)
        return verso_fail(error, VERSO_CORRUPT,
                          "'%s' claims a capsule of %" PRIu64 " bytes, which %" PRIu64 " %sbytes cannot hold", path,
                          header->length, header->stored, packed ? "compressed " : "");
    if (header->length > SIZE_MAX / 2)
        return verso_fail(error, VERSO_CORRUPT, "'%s' claims a capsule of %" PRIu64 " bytes, expected at most %zu",
                          path, header->length, SIZE_MAX / 2);
    return VERSO_OK;
}

verso_status verso_capsule_header_read(const unsigned char *bytes, size_t size, uint64_t file_size, const char *path,
                                       verso_capsule_header *header, verso_error *error) {
    verso_status status = check_seal(bytes, size, path, error);
    if (status != VERSO_OK)
        return status;
    verso_words words = {.at = bytes + FIELDS_AT, .left = SEAL_AT - FIELDS_AT};
    header->label.kind = (verso_capsule_kind)(word_at(bytes, VERSION_AT) >> 32);
    header->flags = verso_take_word(&words);
    header->label.program = verso_take_identity(&words);
    header->label.run = verso_take_identity(&words);
    header->label.step = verso_take_word(&words);
    header->length = verso_take_word(&words);
    header->stored = verso_take_word(&words);
    header->checksum = verso_take_identity(&words);
    return check_fields(header, file_size, path, error);
}

static verso_status wrong_identity(verso_error *error, const char *path, const char *what, verso_identity found,
                                   verso_identity expected) {
    return verso_fail(error, VERSO_CORRUPT,
                      "'%s' belongs to %s %016" PRIx64 "%016" PRIx64 ", expected %016" PRIx64 "%016" PRIx64, path, what,
                      found.words[1], found.words[0], expected.words[1], expected.words[0]);
}

verso_status verso_capsule_header_match(const verso_capsule_header *header, const verso_capsule_label *expected,
                                        const char *path, verso_error *error) {
    const verso_capsule_label *found = &header->label;
    if (!verso_identity_equal(found->program, expected->program))
        return wrong_identity(error, path, "program", found->program, expected->program);
    if (!verso_identity_equal(found->run, expected->run))
        return wrong_identity(error, path, "run", found->run, expected->run);
    if (found->kind != expected->kind)
        return verso_fail(error, VERSO_CORRUPT, "'%s' holds a capsule of kind %s, expected %s", path,
                          verso_capsule_word(found->kind), verso_capsule_word(expected->kind));
    if (found->step != expected->step)
        return verso_fail(error, VERSO_CORRUPT, "'%s' holds step %" PRIu64 ", expected %" PRIu64, path, found->step,
                          expected->step);
    return VERSO_OK;
}

verso_status verso_capsule_checksum_match(const verso_capsule_header *header, verso_identity found, const char *path,
                                          verso_error *error) {
    if (verso_identity_equal(header->checksum, found))
        return VERSO_OK;
    return verso_fail(error, VERSO_CORRUPT,
                      "'%s' is damaged: what it stores has checksum %016" PRIx64 "%016" PRIx64 ", expected %016" PRIx64
                      "%016" PRIx64,
                      path, found.words[1], found.words[0], header->checksum.words[1], header->checksum.words[0]);
}

/* ---- A whole file ---- */

static verso_status unpack(const verso_capsule_header *header, const unsigned char *stored, const char *path,
                           void *capsule, verso_error *error) {
    if ((header->flags & VERSO_CAPSULE_ZSTD) == 0) {
        memcpy(capsule, stored, (size_t)header->length);
        return VERSO_OK;
    }
    /* One frame and nothing behind it: ZSTD_decompress would take several. */
    size_t frame = ZSTD_findFrameCompressedSize(stored, (size_t)header->stored);
    if (ZSTD_isError(frame) || frame != header->stored)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is damaged: what it stores is not one zstd frame", path);
    size_t length = ZSTD_decompress(capsule, (size_t)header->length, stored, (size_t)header->stored);
    if (ZSTD_isError(length))
        return verso_fail(error, VERSO_CORRUPT, "'%s' is damaged: it cannot be decompressed: %s", path,
                          ZSTD_getErrorName(length));
    if (length != header->length)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is damaged: decompressed it has %zu bytes, expected %" PRIu64,
                          path, length, header->length);
    return VERSO_OK;
}

verso_status verso_capsule_parse(const void *bytes, size_t size, const verso_capsule_label *expected, const char *path,
                                 void **capsule, size_t *length, verso_error *error) {
    verso_capsule_header header;
    const unsigned char *stored = (const unsigned char *)bytes + VERSO_CAPSULE_HEADER;
    *capsule = NULL;
    size_t head = size < VERSO_CAPSULE_HEADER ? size : VERSO_CAPSULE_HEADER;
    verso_status status = verso_capsule_header_read(bytes, head, size, path, &header, error);
    if (status == VERSO_OK)
        status = verso_capsule_header_match(&header, expected, path, error);
    if (status == VERSO_OK)
        status = verso_capsule_checksum_match(&header, verso_checksum_wide(stored, (size_t)header.stored), path, error);
    if (status != VERSO_OK)
        return status;
    void *made = verso_alloc((size_t)header.length, 1);
    if (made == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the %" PRIu64 " bytes of '%s'", header.length, path);
    status = unpack(&header, stored, path, made, error);
    if (status != VERSO_OK) {
        verso_dealloc(made);
        return status;
    }
    *capsule = made;
    *length = (size_t)header.length;
    return VERSO_OK;
}
