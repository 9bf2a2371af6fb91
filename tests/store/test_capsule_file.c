/* Tests capsule files: what is written is read back bit for bit. Every change of a file (any byte, cut off anywhere,
 * made longer, another capsule's file) is detected, and the message says what does not fit. Both readers are tested:
 * from memory and from files. The format is fixed: this file contains one header, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "store/capsule_io.h"
#include "store/name.h"
#include "tests/support/folder.h"

enum { VERSION_AT = 8, KIND_AT = 12, FLAGS_AT = 16, PROGRAM_AT = 24, RUN_AT = 40, STEP_AT = 56 };
enum { LENGTH_AT = 64, STORED_AT = 72, CHECKSUM_AT = 80, SEAL_AT = 96, PAYLOAD = 300 };

static const verso__capsule_label label = {VERSO_CAPSULE_ADJOINT, 42, {{1, 2}}, {{3, 4}}};

static const char file_name[] = "adjoint-00000000000000000042";

static char *folder;

/* ---- A file in memory ---- */

typedef struct image {
    unsigned char *bytes; /* a block of exactly this size */
    size_t size;
} image;

static void fill(unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i / 7 % 13);
}

/* What verso__capsule_write makes. */
static image written(const void *payload, size_t length, int level) {
    verso__capsule_io io;
    const verso__capsule_source source = {&label, payload, length, level, false, UINT64_MAX};
    image file = {0};
    uint64_t size = 0;
    char *path = folder_path(folder, file_name);
    verso__capsule_io_init(&io, &verso__system_machine);
    assert_int_equal(verso__capsule_write(&io, path, &source, &size, NULL), VERSO_STATUS_OK);
    verso__capsule_io_free(&io);
    free(path);
    file.bytes = folder_read(folder, file_name, &file.size);
    assert_non_null(file.bytes);
    assert_int_equal(file.size, size);
    return file;
}

static image sample(int level) {
    unsigned char payload[PAYLOAD];
    fill(payload, sizeof payload);
    return written(payload, sizeof payload, level);
}

static void put(const image *file, size_t at, uint64_t word, int bytes) {
    for (int i = 0; i < bytes; i++)
        file->bytes[at + (size_t)i] = (unsigned char)(word >> (8 * i));
}

static void seal(const image *file) {
    put(file, SEAL_AT, XXH3_64bits(file->bytes, SEAL_AT), 8);
}

/* Corrects both checksums and the length of the contents. */
static void sign(const image *file) {
    size_t stored = file->size - VERSO_CAPSULE_HEADER;
    XXH128_hash_t hash = XXH3_128bits(file->bytes + VERSO_CAPSULE_HEADER, stored);
    put(file, STORED_AT, stored, 8);
    put(file, CHECKSUM_AT, hash.low64, 8);
    put(file, CHECKSUM_AT + 8, hash.high64, 8);
    seal(file);
}

/* ---- Both readers ---- */

static verso_status read_from_memory(const image *file, void **capsule, size_t *length, verso_error *error) {
    unsigned char *exact = malloc(file->size); /* so that a read beyond it is found */
    assert_true(exact != NULL || file->size == 0);
    if (file->size > 0)
        memcpy(exact, file->bytes, file->size);
    verso_status status = verso__capsule_parse(exact, file->size, &label, file_name, capsule, length, error);
    free(exact);
    return status;
}

static verso_status read_from_file(const image *file, void **capsule, size_t *length, verso_error *error) {
    verso__capsule_io io;
    char *path = folder_path(folder, file_name);
    folder_write(folder, file_name, file->bytes, file->size);
    verso__capsule_io_init(&io, &verso__system_machine);
    *capsule = NULL;
    verso_status status = verso__capsule_open(&io, path, &label, error);
    if (status == VERSO_STATUS_OK) {
        *length = (size_t)io.header.length;
        *capsule = verso__alloc(*length, 1);
        assert_non_null(*capsule);
        status = verso__capsule_read(&io, *capsule, error);
    }
    verso__capsule_io_free(&io);
    free(path);
    if (status != VERSO_STATUS_OK) {
        verso__dealloc(*capsule);
        *capsule = NULL;
    }
    return status;
}

typedef verso_status reader(const image *file, void **capsule, size_t *length, verso_error *error);

static reader *const readers[] = {read_from_memory, read_from_file};

static void assert_holds(const image *file, const void *payload, size_t expected) {
    for (size_t i = 0; i < 2; i++) {
        void *capsule;
        size_t length;
        verso_error error = {0};
        if (readers[i](file, &capsule, &length, &error) != VERSO_STATUS_OK)
            fail_msg("%s", error.message);
        assert_int_equal(length, expected);
        if (expected > 0)
            assert_memory_equal(capsule, payload, expected);
        verso__dealloc(capsule);
    }
}

/* Refused by both, with the name of the file and each of the words (separated by '|') in the message. */
static void assert_refused(const image *file, const char *words) {
    for (size_t i = 0; i < 2; i++) {
        void *capsule;
        size_t length;
        verso_error error = {0};
        assert_int_equal(readers[i](file, &capsule, &length, &error), VERSO_STATUS_CORRUPT);
        assert_null(capsule);
        assert_int_equal(error.status, VERSO_STATUS_CORRUPT);
        assert_non_null(strstr(error.message, file_name));
        char all[128], *word, *rest = all;
        (void)snprintf(all, sizeof all, "%s", words);
        while ((word = strtok_r(rest, "|", &rest)) != NULL)
            if (strstr(error.message, word) == NULL)
                fail_msg("no '%s' in: %s", word, error.message);
    }
}

/* ---- Tests; *state is the level of compression ---- */

static void what_is_written_is_read_back(void **state) {
    static const size_t sizes[] = {0, 1, 7, 1000, 65536 - 104, 65536, 65537, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *payload = malloc(sizes[i] + 1);
        assert_non_null(payload);
        fill(payload, sizes[i]);
        uint64_t x = 1;
        for (size_t k = 0; k + 8 < sizes[i] / 2;
             k += 8) { /* the first half does not compress, so that chunks are many */
            x = x * 6364136223846793005u + 1442695040888963407u;
            memcpy(payload + k, &x, 8);
        }
        image file = written(payload, sizes[i], *(const int *)*state);
        assert_holds(&file, payload, sizes[i]);
        free(file.bytes);
        free(payload);
    }
}

static void every_changed_bit_is_found(void **state) {
    image file = sample(*(const int *)*state);
    for (size_t i = 0; i < file.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            file.bytes[i] ^= (unsigned char)(1 << bit);
            assert_refused(&file, "");
            file.bytes[i] ^= (unsigned char)(1 << bit);
        }
    free(file.bytes);
}

static void every_truncation_is_found(void **state) {
    image file = sample(*(const int *)*state);
    for (size_t size = 0; size < file.size; size++)
        assert_refused(&(image){file.bytes, size}, size < 8                      ? "not a capsule"
                                                   : size < VERSO_CAPSULE_HEADER ? "truncated|header of 104"
                                                                                 : "truncated");
    free(file.bytes);
}

static void every_extension_is_found(void **state) {
    image file = sample(*(const int *)*state);
    for (size_t more = 1; more < 200; more += more) {
        image longer = {calloc(1, file.size + more), file.size + more};
        assert_non_null(longer.bytes);
        memcpy(longer.bytes, file.bytes, file.size);
        assert_refused(&longer, "too long");
        sign(&longer); /* as a forger would do */
        assert_refused(&longer, "");
        free(longer.bytes);
    }
    free(file.bytes);
}

static void every_field_is_checked(void **state) {
    static const struct {
        size_t at;
        int bytes;
        uint64_t value;
        const char *words;
    } changes[] = {
        {0, 1, 'V', "not a capsule|versocap"},
        {VERSION_AT, 4, 2, "version 2|newer than 1"},
        {VERSION_AT, 4, 0, "version 0|expected 1"},
        {KIND_AT, 4, VERSO_CAPSULE_STATE, "kind state|expected adjoint"},
        {KIND_AT, 4, 77, "kind 77"},
        {FLAGS_AT, 8, 6, "flags 6"},
        {PROGRAM_AT, 8, 9, "program 00000000000000020000000000000009|expected 00000000000000020000000000000001"},
        {PROGRAM_AT + 8, 8, 9, "program 0000000000000009"},
        {RUN_AT, 8, 9, "run 00000000000000040000000000000009"},
        {RUN_AT + 8, 8, 9, "run 0000000000000009|expected 0000000000000004"},
        {STEP_AT, 8, 43, "step 43|expected 42"},
        {LENGTH_AT, 8, PAYLOAD - 1, ""},
        {LENGTH_AT, 8, PAYLOAD + 1, ""},
        {LENGTH_AT, 8, UINT64_MAX, "18446744073709551615 bytes"},
        {STORED_AT, 8, 10, "too long|expected 10"},
        {STORED_AT, 8, 100000, "truncated|expected 100000"},
        {STORED_AT, 8, UINT64_MAX, "truncated|expected 18446744073709551615"},
        {CHECKSUM_AT, 8, 9, "payload has checksum"},
        {CHECKSUM_AT + 8, 8, 9, "payload has checksum"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        image file = sample(*(const int *)*state);
        put(&file, changes[i].at, changes[i].value, changes[i].bytes);
        assert_refused(&file, "");
        seal(&file);
        assert_refused(&file, changes[i].words);
        free(file.bytes);
    }
    image file = sample(*(const int *)*state);
    put(&file, SEAL_AT, 0, 8);
    assert_refused(&file, "header has checksum|expected 0000000000000000");
    put(&file, FLAGS_AT, *(const int *)*state == 0 ? VERSO_CAPSULE_ZSTD : 0, 8);
    seal(&file);
    assert_refused(&file, "");
    free(file.bytes);
}

/* ---- Compressed ones that lie, with checksums that fit ---- */

static image packed(const void *frame, size_t size, uint64_t length) {
    image file = {calloc(1, VERSO_CAPSULE_HEADER + size), VERSO_CAPSULE_HEADER + size};
    assert_non_null(file.bytes);
    const verso__capsule_header header = {.label = label, .flags = VERSO_CAPSULE_ZSTD, .length = length};
    verso__capsule_header_write(&header, file.bytes);
    memcpy(file.bytes + VERSO_CAPSULE_HEADER, frame, size);
    sign(&file);
    return file;
}

static void assert_packed_refused(const void *frame, size_t size, uint64_t length, const char *words) {
    image file = packed(frame, size, length);
    assert_refused(&file, words);
    free(file.bytes);
}

static void a_frame_must_be_what_the_header_says(void **state) {
    (void)state;
    unsigned char payload[PAYLOAD], frame[4 * PAYLOAD];
    fill(payload, sizeof payload);
    size_t size = ZSTD_compress(frame, sizeof frame, payload, sizeof payload, 1);
    assert_false(ZSTD_isError(size));
    image file = packed(frame, size, PAYLOAD);
    assert_holds(&file, payload, PAYLOAD);
    free(file.bytes);
    assert_packed_refused(frame, size, PAYLOAD - 1, "damaged");
    assert_packed_refused(frame, size, PAYLOAD + 1, "bytes, expected 301");
    assert_packed_refused(frame, size, UINT64_C(1) << 40, "cannot hold"); /* not even tried */
    assert_packed_refused(frame, size - 1, PAYLOAD, "damaged");
    assert_packed_refused(frame, 0, 0, "damaged");
    memcpy(frame + size, frame, size); /* two frames */
    assert_packed_refused(frame, 2 * size, PAYLOAD, "damaged");
    assert_packed_refused(frame, 2 * size, 2 * PAYLOAD, "damaged");
    assert_packed_refused(frame, size + 1, PAYLOAD, "damaged");
    frame[0] ^= 1;
    assert_packed_refused(frame, size, PAYLOAD, "damaged");
}

static void a_header_byte_by_byte(void **state) {
    (void)state;
    static const unsigned char expected[SEAL_AT] = {
        'v', 'e', 'r', 's', 'o', 'c', 'a', 'p', 1, 0, 0, 0, 1, 0, 0, 0, /* magic, version, kind */
        0,   0,   0,   0,   0,   0,   0,   0,                           /* flags */
        1,   0,   0,   0,   0,   0,   0,   0,   2, 0, 0, 0, 0, 0, 0, 0, /* program */
        3,   0,   0,   0,   0,   0,   0,   0,   4, 0, 0, 0, 0, 0, 0, 0, /* run */
        42,  0,   0,   0,   0,   0,   0,   0,                           /* step */
        44,  1,   0,   0,   0,   0,   0,   0,                           /* length */
        44,  1,   0,   0,   0,   0,   0,   0,                           /* stored */
    };
    image file = sample(0);
    assert_int_equal(file.size, VERSO_CAPSULE_HEADER + PAYLOAD);
    assert_memory_equal(file.bytes, expected, CHECKSUM_AT);
    image again = sample(0);
    sign(&again); /* the checksums as they are documented */
    assert_memory_equal(file.bytes, again.bytes, file.size);
    free(again.bytes);
    free(file.bytes);
}

static void too_long_for_the_disk_is_refused(void **state) {
    const int level = *(const int *)*state;
    unsigned char payload[PAYLOAD];
    fill(payload, sizeof payload);
    image file = written(payload, sizeof payload, level);
    char *path = folder_path(folder, file_name);
    for (uint64_t most = 0; most <= file.size; most++) {
        verso__capsule_io io;
        verso_error error = {0};
        uint64_t size;
        const verso__capsule_source source = {&label, payload, sizeof payload, level, false, most};
        verso__capsule_io_init(&io, &verso__system_machine);
        verso_status status = verso__capsule_write(&io, path, &source, &size, &error);
        verso__capsule_io_free(&io);
        assert_int_equal(status, most < file.size ? VERSO_STATUS_IMPOSSIBLE : VERSO_STATUS_OK);
        assert_int_equal(folder_count(folder, ""), most < file.size ? 0 : 1);
    }
    free(path);
    free(file.bytes);
}

/* ---- Names ---- */

static void names_are_read_exactly(void **state) {
    (void)state;
    static const char *const foreign[] = {
        "",
        "state",
        "state-",
        "state-1",
        "state-0000000000000000001",
        "state-000000000000000000001",
        "journal",
        "state-0000000000000000000a",
        "state-99999999999999999999",
        "State-00000000000000000001",
        "xstate-00000000000000000001",
        "state-00000000000000000001 ",
        "adjoint-00000000000000000001.old",
        "state--0000000000000000001",
        "adjoint-+0000000000000000001",
    };
    verso_capsule_name name;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_false(verso__file_name_read(foreign[i], &name));
    for (int kind = 0; kind < VERSO_CAPSULE_KINDS; kind++)
        for (uint64_t step = 1; step != 0; step *= 3) {
            char text[VERSO_FILE_NAME_MAX];
            uint64_t exact = step > UINT64_MAX / 3 ? UINT64_MAX : step;
            verso__file_name_write("", (verso_capsule_kind)kind, exact, text);
            assert_true(verso__file_name_read(text, &name));
            assert_int_equal(name.kind, kind);
            assert_true(name.step == exact);
            if (exact == UINT64_MAX)
                break;
        }
}

int main(void) {
    static const int plain = 0, fast = 1, strong = 19;
#define AT(test, level) {#test " (" #level ")", test, NULL, NULL, (void *)(uintptr_t)&level}
#define ALL(test) AT(test, plain), AT(test, fast), AT(test, strong)
    const struct CMUnitTest tests[] = {
        ALL(what_is_written_is_read_back),
        ALL(every_changed_bit_is_found),
        ALL(every_truncation_is_found),
        ALL(every_extension_is_found),
        ALL(every_field_is_checked),
        ALL(too_long_for_the_disk_is_refused),
        cmocka_unit_test(a_frame_must_be_what_the_header_says),
        cmocka_unit_test(a_header_byte_by_byte),
        cmocka_unit_test(names_are_read_exactly),
    };
    folder = folder_new();
    int failed = cmocka_run_group_tests_name("capsule files", tests, NULL, NULL);
    folder_remove(folder);
    return failed;
}
