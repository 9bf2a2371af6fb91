/* Tests files with the position of a durable VLAD program: what is written is read back, and everything else is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "base/words.h"
#include "tests/support/folder.h"
#include "vlad/record.h"

static vlad_record made(size_t words, size_t size) {
    vlad_record record = {.identity = {{1, 2}}, .word_count = words, .size = size};
    for (size_t i = 0; i < words; i++)
        record.words[i] = i * i + 7;
    record.bytes = size > 0 ? malloc(size) : NULL;
    for (size_t i = 0; i < size; i++)
        record.bytes[i] = (char)(i * 31);
    return record;
}

static char *path_in(const char *folder) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/place", folder);
    return path;
}

static size_t whole(const char *path, char *bytes, size_t most) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void what_is_written_is_read(void **state) {
    (void)state;
    char *folder = folder_new();
    const char *path = path_in(folder);
    static const size_t sizes[][2] = {{0, 0}, {3, 0}, {0, 5}, {VLAD_RECORD_WORDS, 1000}, {1, 8}};
    vlad_record read;
    bool there;
    assert_int_equal(vlad_record_read(path, &read, &there, NULL), VERSO_STATUS_OK);
    assert_false(there);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        vlad_record record = made(sizes[i][0], sizes[i][1]);
        assert_int_equal(vlad_record_write(path, &record, NULL), VERSO_STATUS_OK);
        assert_int_equal(vlad_record_read(path, &read, &there, NULL), VERSO_STATUS_OK);
        assert_true(there && read.word_count == record.word_count && read.size == record.size);
        assert_memory_equal(&read.identity, &record.identity, sizeof read.identity);
        assert_memory_equal(read.words, record.words, sizeof read.words);
        if (record.size > 0)
            assert_memory_equal(read.bytes, record.bytes, record.size);
        assert_true((read.bytes == NULL) == (record.size == 0));
        vlad_record_free(&read);
        free(record.bytes);
    }
    folder_remove(folder);
}

/* Changes every bit, and cuts the record at every length. */
static void damage_is_noticed(void **state) {
    (void)state;
    char *folder = folder_new();
    const char *path = path_in(folder);
    char bytes[512];
    vlad_record record = made(4, 21), read;
    bool there;
    assert_int_equal(vlad_record_write(path, &record, NULL), VERSO_STATUS_OK);
    size_t size = whole(path, bytes, sizeof bytes);
    for (size_t i = 0; i < 8 * size; i++) {
        bytes[i / 8] = (char)(bytes[i / 8] ^ (1 << i % 8));
        assert_int_equal(vlad_record_parse(bytes, size, &read, NULL), VERSO_STATUS_CORRUPT);
        bytes[i / 8] = (char)(bytes[i / 8] ^ (1 << i % 8));
    }
    for (size_t i = 0; i < size; i++)
        assert_int_equal(vlad_record_parse(bytes, i, &read, NULL), VERSO_STATUS_CORRUPT);
    /* Counts that lie, under a checksum that is right. */
    for (size_t word = 0; word < 6; word++) {
        static const uint64_t lies[] = {0, 5, 321, UINT64_MAX, UINT64_C(1) << 61};
        for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
            char copy[512];
            memcpy(copy, bytes, size);
            unsigned char *to = (unsigned char *)copy + word * VERSO_WORD,
                          *sum = (unsigned char *)copy + size - VERSO_WORD;
            verso__put_word(&to, lies[i]);
            verso__put_word(&sum, verso__checksum(copy, size - VERSO_WORD));
            verso_status status = vlad_record_parse(copy, size, &read, NULL);
            assert_int_equal(status, word == 2 || word == 3 ? VERSO_STATUS_OK
                                                            : VERSO_STATUS_CORRUPT); /* the identity is anything */
            vlad_record_free(&read);
        }
    }
    FILE *file = fopen(path, "wb");
    assert_true(file != NULL && fwrite(bytes, 1, size - 1, file) == size - 1 && fclose(file) == 0);
    verso_error error = {0};
    assert_int_equal(vlad_record_read(path, &read, &there, &error), VERSO_STATUS_CORRUPT);
    assert_true(there && strstr(error.message, "place: it is damaged") != NULL);
    free(record.bytes);
    folder_remove(folder);
}

static void what_is_no_file_of_ours_is_refused(void **state) {
    (void)state;
    char *folder = folder_new();
    const char *path = path_in(folder);
    vlad_record record = made(2, 3), read;
    bool there;
    verso_error error = {0};
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(vlad_record_read(path, &read, &there, &error), VERSO_STATUS_IO);
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    assert_int_equal(vlad_record_read(path, &read, &there, &error), VERSO_STATUS_IO);
    assert_non_null(strstr(error.message, "a symbolic link"));
    assert_int_equal(vlad_record_write(path, &record, NULL), VERSO_STATUS_OK); /* in its place */
    assert_int_equal(vlad_record_read(path, &read, &there, NULL), VERSO_STATUS_OK);
    struct stat facts;
    assert_true(lstat(path, &facts) == 0 && S_ISREG(facts.st_mode) && (facts.st_mode & 0777) == 0600);
    vlad_record_free(&read);
    free(record.bytes);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(what_is_no_file_of_ours_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
