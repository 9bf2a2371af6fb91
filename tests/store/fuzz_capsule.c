/* libFuzzer target: reads arbitrary bytes as a capsule file. Both readers (from memory, and streaming from a file)
 * neither crash nor leak nor allocate more than the file can hold, and they agree: both refuse, or both return the
 * same bytes.
 *
 * Each input is tried in three ways: as it is; as a file with a corrected header, so that the checks after it are
 * reached; and as contents after a valid header, compressed or not, which reaches zstd. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/alloc.h"
#include "store/capsule_io.h"

enum { KIND_AT = 12, SEAL_AT = 96, LENGTH_MAX = 1 << 20 };

static const verso__capsule_label label = {VERSO_CAPSULE_STATE, 42, {{1, 2}}, {{3, 4}}};

/* ---- A file system of one file, in memory ---- */

typedef struct one_file {
    const unsigned char *bytes;
    size_t size, at;
} one_file;

static int one_open(const verso__system *system, const char *path, int flags, mode_t mode) {
    (void)path;
    (void)flags;
    (void)mode;
    ((one_file *)system->context)->at = 0;
    return 1;
}

static ssize_t one_read(const verso__system *system, int handle, void *bytes, size_t size) {
    (void)handle;
    one_file *file = system->context;
    if (size > file->size - file->at)
        size = file->size - file->at;
    if (size > 0)
        memcpy(bytes, file->bytes + file->at, size);
    file->at += size;
    return (ssize_t)size;
}

static int one_size(const verso__system *system, int handle, off_t *size) {
    (void)handle;
    *size = (off_t)((one_file *)system->context)->size;
    return 0;
}

static int one_close(const verso__system *system, int handle) {
    (void)system;
    (void)handle;
    return 0;
}

/* ---- Both readers ---- */

static verso_status stream(verso__capsule_io *io, void **capsule, size_t *length, verso_error *error) {
    verso_status status = verso__capsule_open(io, "file", &label, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *length = (size_t)io->header.length;
    *capsule = verso__alloc(*length, 1);
    if (*capsule == NULL)
        abort();
    return verso__capsule_read(io, *capsule, error);
}

static void read_both(const unsigned char *bytes, size_t size) {
    one_file file = {bytes, size, 0};
    const verso__system system = {
        .context = &file, .open = one_open, .read = one_read, .size = one_size, .close = one_close};
    verso__capsule_io io;
    verso_error error = {0};
    void *parsed = NULL, *streamed = NULL;
    size_t parsed_length = 0, streamed_length = 0;
    verso_status status = verso__capsule_parse(bytes, size, &label, "file", &parsed, &parsed_length, &error);
    if (status != VERSO_STATUS_OK && (status != VERSO_STATUS_CORRUPT || error.message[0] == '\0' || parsed != NULL))
        abort();
    verso__capsule_io_init(&io, &system);
    if (stream(&io, &streamed, &streamed_length, &error) != status)
        abort();
    if (status == VERSO_STATUS_OK && (parsed_length != streamed_length || memcmp(parsed, streamed, parsed_length) != 0))
        abort();
    verso__capsule_io_free(&io);
    verso__dealloc(parsed);
    verso__dealloc(streamed);
}

/* ---- Three ways ---- */

static void seal(unsigned char *bytes) {
    uint64_t sum = XXH3_64bits(bytes, SEAL_AT);
    for (size_t i = 0; i < 8; i++)
        bytes[SEAL_AT + i] = (unsigned char)(sum >> (8 * i));
}

static void read_sealed(const uint8_t *data, size_t size) {
    if (size < VERSO_CAPSULE_HEADER)
        return;
    unsigned char *bytes = malloc(size);
    if (bytes == NULL)
        return;
    memcpy(bytes, data, size);
    memcpy(bytes, "versocap\1\0\0\0", KIND_AT);
    seal(bytes);
    read_both(bytes, size);
    free(bytes);
}

/* The first bytes of the input are the length, the others the contents. */
static void read_behind_header(const uint8_t *data, size_t size, uint64_t flags) {
    if (size < 4)
        return;
    size_t stored = size - 4;
    uint64_t length = ((uint64_t)data[0] | (uint64_t)data[1] << 8 | (uint64_t)data[2] << 16) % LENGTH_MAX;
    unsigned char *bytes = malloc(VERSO_CAPSULE_HEADER + stored);
    if (bytes == NULL)
        return;
    XXH128_hash_t hash = XXH3_128bits(data + 4, stored);
    const verso__capsule_header header = {.label = label,
                                          .flags = flags,
                                          .length = flags == 0 && data[3] % 2 == 0 ? stored : length,
                                          .stored = stored,
                                          .checksum = {{hash.low64, hash.high64}}};
    verso__capsule_header_write(&header, bytes);
    if (stored > 0)
        memcpy(bytes + VERSO_CAPSULE_HEADER, data + 4, stored);
    read_both(bytes, VERSO_CAPSULE_HEADER + stored);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_both(data, size);
    read_sealed(data, size);
    read_behind_header(data, size, 0);
    read_behind_header(data, size, VERSO_CAPSULE_ZSTD);
    return 0;
}
