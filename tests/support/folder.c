/* See folder.h. */
#include "tests/support/folder.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *folder_make(void) {
    const char *where = getenv("TMPDIR");
    char *path = folder_path(where != NULL ? where : "/tmp", "verso-test-XXXXXX");
    assert_non_null(mkdtemp(path));
    return path;
}

char *folder_path(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    assert_non_null(path);
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *place) {
    (void)facts;
    (void)type;
    (void)place;
    return remove(path);
}

void folder_remove(char *folder) {
    assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(folder);
}

unsigned char *file_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    unsigned char *bytes = malloc(length > 0 ? (size_t)length : 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)length, file), length);
    fclose(file);
    *size = (size_t)length;
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}
