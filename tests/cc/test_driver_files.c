/* Tests what `verso cc` reads from object files and archives (tests/data/fuzz_elf, fuzz_archive). A file that is
 * truncated at any byte must be reported as damaged or read up to its end, never beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cc/driver/archive.h"
#include "cc/driver/bitcode.h"
#include "cc/driver/embed.h"
#include "cc/driver/unit.h"
#include "tests/support/folder.h"

static driver_bytes sample(const char *name) {
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", VERSO_TEST_DATA, name);
    unsigned char *bytes = file_read(path, &size);
    assert_non_null(bytes);
    return (driver_bytes){bytes, size};
}

static void drop(driver_bytes sample) {
    free((void *)(uintptr_t)sample.bytes);
}

static driver_bytes section_of(driver_bytes object, const char *name) {
    driver_elf elf;
    driver_bytes section;
    size_t index = 0;
    assert_int_equal(driver_elf_open(object.bytes, object.size, "x.o", &elf, NULL), VERSO_STATUS_OK);
    assert_int_equal(driver_elf_section(&elf, name, "x.o", &index, &section, NULL), VERSO_STATUS_OK);
    return section;
}

static size_t modules_in(driver_bytes section) {
    driver_bytes module;
    size_t count = 0, total = 0;
    while (driver_bitcode_next(&section, "x.o", &module, NULL) == VERSO_STATUS_OK && module.bytes != NULL) {
        assert_memory_equal(module.bytes, "BC\xc0\xde", 4);
        total += module.size;
        count++;
    }
    assert_true(section.size == 0 && total > 0);
    return count;
}

static void objects_are_read(void **state) {
    (void)state;
    driver_bytes fat = sample("fuzz_elf/fat"), plain = sample("fuzz_elf/plain"), joined = sample("fuzz_elf/joined");
    driver_unit unit = {.label = "x.o", .content = fat};
    assert_int_equal(driver_unit_read(&unit, NULL), VERSO_STATUS_OK);
    assert_true(unit.bitcode && unit.differentiates && unit.uses_library);
    assert_string_equal(unit.calls, "verso_gradient");
    unit.content = plain;
    assert_int_equal(driver_unit_read(&unit, NULL), VERSO_STATUS_OK);
    assert_true(!unit.bitcode && unit.differentiates);
    assert_int_equal(modules_in(section_of(fat, ".llvm.lto")), 1);
    assert_int_equal(modules_in(section_of(joined, ".llvm.lto")), 2); /* by ld -r */
    assert_null(section_of(plain, ".llvm.lto").bytes);
    drop(fat);
    drop(plain);
    drop(joined);
}

/* Only files with the right ELF header are object files. */
static void other_files_are_no_objects(void **state) {
    (void)state;
    driver_bytes fat = sample("fuzz_elf/fat"), archive = sample("fuzz_archive/gnu");
    assert_true(driver_elf_is_object(fat.bytes, fat.size));
    assert_false(driver_elf_is_object(archive.bytes, archive.size));
    assert_false(driver_elf_is_object(fat.bytes, 63));
    assert_false(driver_is_archive(fat.bytes, fat.size));
    driver_unit unit = {.label = "x.a", .content = archive};
    assert_int_equal(driver_unit_read(&unit, NULL), VERSO_STATUS_OK);
    assert_false(unit.bitcode || unit.differentiates);
    unsigned char *other = (unsigned char *)(uintptr_t)fat.bytes;
    other[18] = 183; /* another machine */
    assert_false(driver_elf_is_object(fat.bytes, fat.size));
    drop(fat);
    drop(archive);
}

/* Each file is in a block of exactly its size, so that a sanitizer detects reads beyond it. */
static void objects_cut_off(void **state) {
    (void)state;
    driver_bytes fat = sample("fuzz_elf/fat");
    for (size_t size = 64; size < fat.size; size++) {
        unsigned char *cut = malloc(size);
        assert_non_null(cut);
        memcpy(cut, fat.bytes, size);
        driver_unit unit = {.label = "cut.o", .content = {cut, size}};
        verso_error error = {0};
        assert_int_equal(driver_unit_read(&unit, &error), VERSO_STATUS_CORRUPT);
        assert_true(strstr(error.message, "cut.o is damaged: ") == error.message &&
                    strstr(error.message, "; compile it again") != NULL);
        free(cut);
    }
    drop(fat);
}

static void bitcode_cut_off(void **state) {
    (void)state;
    driver_bytes fat = sample("fuzz_elf/fat");
    driver_bytes section = section_of(fat, ".llvm.lto");
    for (size_t size = 1; size < section.size; size++) {
        driver_bytes rest = {section.bytes, size}, module;
        verso_error error = {0};
        verso_status status = driver_bitcode_next(&rest, "cut.o", &module, &error);
        if (status == VERSO_STATUS_OK) /* truncated at the end of a block */
            assert_true(module.size <= size && module.size % 4 == 0);
        else
            assert_true(status == VERSO_STATUS_CORRUPT && strstr(error.message, "cut.o is damaged: ") == error.message);
    }
    drop(fat);
}

/* ---- Archives ---- */

/* Writes the members' names and sizes as one text, "a.o:3 b.o:4 "; appends "damaged" if the archive is damaged. */
static void list(driver_bytes bytes, char *text, size_t room) {
    driver_archive archive;
    driver_archive_open(bytes.bytes, bytes.size, &archive);
    size_t used = 0;
    text[0] = '\0';
    for (bool more = true; more && used < room;) {
        driver_member member;
        if (driver_archive_next(&archive, "x.a", &member, &more, NULL) != VERSO_STATUS_OK)
            used += (size_t)snprintf(text + used, room - used, "damaged");
        else if (more)
            used += (size_t)snprintf(text + used, room - used, "%.*s:%zu ", (int)member.name_size, member.name,
                                     member.size);
    }
}

static void check_list(const char *name, const char *wanted) {
    char text[512];
    driver_bytes archive = sample(name);
    assert_true(driver_is_archive(archive.bytes, archive.size));
    list(archive, text, sizeof text);
    assert_string_equal(text, wanted);
    drop(archive);
}

static void archives_are_read(void **state) {
    (void)state;
    check_list("fuzz_archive/gnu", "a.o:3 a_rather_long_member_name.o:4 empty.o:0 a.o:1 ");
    check_list("fuzz_archive/bsd", "a.o:3 a_rather_long_member_name.o:4 ");
    check_list("fuzz_archive/thin", "a.o:3 sub/a.o:1 a_rather_long_member_name.o:4 ");
    check_list("fuzz_archive/indexed", "plain.o:1072 ");
}

static void archives_cut_off(void **state) {
    (void)state;
    driver_bytes gnu = sample("fuzz_archive/gnu");
    char text[512], whole[512];
    list(gnu, whole, sizeof whole);
    for (size_t size = 8; size < gnu.size; size++) {
        unsigned char *cut = malloc(size);
        assert_non_null(cut);
        memcpy(cut, gnu.bytes, size);
        list((driver_bytes){cut, size}, text, sizeof text);
        size_t length = strlen(text);
        bool damaged = length >= 7 && strcmp(text + length - 7, "damaged") == 0;
        assert_memory_equal(text, whole, damaged ? length - 7 : length);
        free(cut);
    }
    drop(gnu);
}

/* ---- The section that -O0 embeds ---- */

static void embedded_sections_are_renamed(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "x.o");
    driver_bytes fat = sample("fuzz_elf/fat");
    /* Puts clang's name in place of another section's name whose tail no other section uses. */
    driver_elf elf;
    size_t header, name;
    assert_int_equal(driver_elf_open(fat.bytes, fat.size, "x.o", &elf, NULL), VERSO_STATUS_OK);
    assert_true(driver_elf_locate(&elf, ".llvm.lto", &header, &name));
    memcpy((unsigned char *)(uintptr_t)fat.bytes + name, ".llvmbc\0", 8);
    file_write(path, fat.bytes, fat.size);
    assert_true(driver_embed_rename(path));
    size_t size;
    unsigned char *renamed = file_read(path, &size);
    assert_int_equal(size, fat.size);
    driver_bytes section = section_of((driver_bytes){renamed, size}, DRIVER_EMBEDDED_SECTION);
    assert_int_equal(modules_in(section), 1);
    assert_null(section_of((driver_bytes){renamed, size}, ".llvmbc").bytes);
    assert_true(driver_embed_rename(path)); /* nothing left to rename */
    free(renamed);
    drop(fat);
    free(path);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_read),
        cmocka_unit_test(other_files_are_no_objects),
        cmocka_unit_test(objects_cut_off),
        cmocka_unit_test(bitcode_cut_off),
        cmocka_unit_test(archives_are_read),
        cmocka_unit_test(archives_cut_off),
        cmocka_unit_test(embedded_sections_are_renamed),
    };
    return cmocka_run_group_tests_name("the driver's files", tests, NULL, NULL);
}
