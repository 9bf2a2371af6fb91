/* Tests how `verso cc` reads command lines: which arguments are inputs, and what is to be made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cc/driver/arguments.h"
#include "cc/driver/response.h"
#include "tests/support/folder.h"

enum { WORDS_MAX = 32 };

/* Arguments are separated by single spaces. */
static driver_arguments read_line(const char *line) {
    static char copy[1024];
    char *argv[WORDS_MAX] = {(char *)(uintptr_t)"cc"};
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word != NULL && argc < WORDS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    driver_arguments arguments;
    driver_words complaint = {0};
    assert_true(driver_arguments_read(&arguments, argc, argv, &complaint));
    assert_false(arguments.words.failed);
    return arguments;
}

/* Compares the inputs and their kinds with a text such as "heat.c:1 x.o:0 ". */
static void check_inputs(const char *line, const char *wanted) {
    driver_arguments arguments = read_line(line);
    char text[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < arguments.count; i++)
        if (arguments.at[i].kind == DRIVER_ARGUMENT_INPUT)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s:%d ", arguments.at[i].text,
                                     (int)arguments.at[i].input);
    assert_string_equal(text, wanted);
    driver_arguments_free(&arguments);
}

static void check_mode(const char *line, driver_mode mode) {
    driver_arguments arguments = read_line(line);
    if (arguments.mode != mode)
        fail_msg("'%s' has mode %d, not %d", line, (int)arguments.mode, (int)mode);
    driver_arguments_free(&arguments);
}

static void inputs_are_what_is_left(void **state) {
    (void)state;
    check_inputs("-c a.c -o b.o", "a.c:1 ");
    check_inputs("-I x.c -D y.c -isystem z.c -include w.c -MF v.c -Xclang u.c -target t.c a.c", "a.c:1 ");
    check_inputs("-Ix.c -Dy.c -lz.c -Lw.c -oa.out a.c", "a.c:1 ");
    check_inputs("-Xarch_host x.c -mllvm y.c --param z.c --sysroot w.c a.c", "a.c:1 ");
    check_inputs("a.c b.i c.cc d.cpp e.cxx f.C g.ii h.o i.a j.so k.so.1 l", "a.c:1 b.i:1 c.cc:1 d.cpp:1 e.cxx:1 f.C:1 "
                                                                            "g.ii:1 h.o:0 i.a:0 j.so:0 k.so.1:0 l:0 ");
    check_inputs("a.s b.S c.ll d.bc sub.c/f", "a.s:2 b.S:2 c.ll:1 d.bc:1 sub.c/f:0 ");
    check_inputs("-x c a.o -x none b.o -xc++ c -x assembler d.c", "a.o:1 b.o:0 c:1 d.c:2 ");
    check_inputs("a.f b.F90 c.f08 d.for -x f95 e", "a.f:3 b.F90:3 c.f08:3 d.for:3 e:3 ");
    check_inputs("-x c - -x none b.o", "-:1 b.o:0 ");
    check_inputs("a.h -x c-header b.c", "a.h:4 b.c:4 ");
    check_inputs("a.c -- -b.c -c.o", "a.c:1 -b.c:1 ./-c.o:0 ");
}

static void modes(void **state) {
    (void)state;
    check_mode("-c a.c", DRIVER_MODE_OBJECT);
    check_mode("a.c -c -o b.o -MMD -MP", DRIVER_MODE_OBJECT);
    check_mode("-c a.s", DRIVER_MODE_OBJECT);
    check_mode("a.c", DRIVER_MODE_LINK);
    check_mode("a.o -lm", DRIVER_MODE_LINK);
    check_mode("-Wl,a.o", DRIVER_MODE_LINK);
    check_mode("-shared a.o", DRIVER_MODE_LINK);
    check_mode("-v a.c", DRIVER_MODE_LINK);
    static const char *const passed[] = {"",
                                         "-v",
                                         "--version",
                                         "-E a.c",
                                         "-S a.c",
                                         "-S -c a.c",
                                         "-M a.c",
                                         "-MM a.c",
                                         "-fsyntax-only a.c",
                                         "-### a.c",
                                         "-emit-llvm -c a.c",
                                         "a.h",
                                         "-c -x c-header a.c",
                                         "-dumpmachine a.c",
                                         "-print-file-name=x a.c",
                                         "-m32 -c a.c",
                                         "--target=wasm32 -c a.c",
                                         "-target aarch64-linux-gnu -c a.c",
                                         "-fsanitize=cfi -flto a.c",
                                         "a.c -o",
                                         "-",
                                         "-cc1 -emit-obj a.c"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        check_mode(passed[i], DRIVER_MODE_PASS);
    check_mode("--target=x86_64-linux-gnu -c a.c", DRIVER_MODE_OBJECT);
    check_mode("-target x86_64-pc-linux-gnu a.c", DRIVER_MODE_LINK);
}

static void check_level(const char *line, char optimise, bool debug) {
    driver_arguments arguments = read_line(line);
    assert_int_equal(arguments.optimise, optimise);
    assert_int_equal(arguments.debug, debug);
    driver_arguments_free(&arguments);
}

static void levels(void **state) {
    (void)state;
    check_level("a.c", 0, false);
    check_level("-O2 -g a.c", '2', true);
    check_level("-O3 -O a.c -g -g0", '1', false);
    check_level("-Ofast -ggdb3 a.c", '3', true);
    check_level("-Og -gsplit-dwarf a.c", '1', false);
    check_level("-Oz -gdwarf-4 a.c", 'z', true);
    check_level("-O9 -gno-column-info a.c", '3', false);
}

static void other_facts(void **state) {
    (void)state;
    driver_arguments arguments = read_line("-static a.c -MMD -MT x -Wl,-rpath,/r,-t -Xlinker -r -fsanitize=undefined");
    assert_true(arguments.is_static && arguments.dependencies && arguments.dependency_target && arguments.traced);
    assert_true(arguments.relocatable && arguments.has_source && arguments.reads_headers);
    assert_false(arguments.dependency_file || arguments.shared || arguments.instrumented || arguments.save_temps);
    size_t linker = 0;
    for (size_t i = 0; i < arguments.count; i++)
        linker += arguments.at[i].kind == DRIVER_ARGUMENT_LINKER;
    assert_int_equal(linker, 4);
    driver_arguments_free(&arguments);
    arguments = read_line("-fsanitize=undefined,address -save-temps=obj -dumpdir x -MF y a.s");
    assert_true(arguments.instrumented && arguments.save_temps && arguments.save_temps_beside_output);
    assert_true(arguments.dump_folder && arguments.dependency_file);
    assert_false(arguments.has_source || arguments.reads_headers);
    driver_arguments_free(&arguments);
}

static void own_options(void **state) {
    (void)state;
    driver_arguments arguments =
        read_line("--verso-show a.c --verso-dump=reach --verso-keep --verso-inactive f,g --verso-inactive=h -flto "
                  "--verso-plain --verso-pure=p,q");
    assert_true(arguments.show && arguments.keep && arguments.plain);
    assert_string_equal(arguments.dump, "reach");
    assert_int_equal(arguments.inactive.count, 3);
    assert_string_equal(arguments.inactive.at[2], "h");
    assert_int_equal(arguments.pure.count, 2);
    assert_string_equal(arguments.pure.at[1], "q");
    assert_int_equal(arguments.words.count, 2); /* -flto stays in the original command line */
    assert_int_equal(arguments.count, 1);
    driver_arguments_free(&arguments);
}

static void check_split(const char *text, const char *wanted) {
    driver_words words = {0};
    char joined[256] = "";
    driver_response_split(&words, text, strlen(text));
    for (size_t i = 0; i < words.count; i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "[%s]", words.at[i]);
    assert_string_equal(joined, wanted);
    driver_words_free(&words);
}

static void response_files(void **state) {
    (void)state;
    check_split("", "");
    check_split(" a\tb\n\nc ", "[a][b][c]");
    check_split("'a b' \"c d\" e\\ f", "[a b][c d][e f]");
    check_split("-D'X=\"y z\"' \"a\\\"b\" \\\\ ''", "[-DX=\"y z\"][a\"b][\\][]");
    check_split("'open", "[open]");
    check_split("end\\", "[end\\]");

    char *folder = folder_new(), *path = folder_path(folder, "words");
    char *const words[] = {"a b", "c\"d", "e\\f", "", "g'h", NULL};
    assert_true(driver_response_write(path, words));
    char name[1024];
    snprintf(name, sizeof name, "@%s", path);
    char *const given[] = {"first", name, "@no/such/file"};
    driver_words read = {0};
    driver_response_expand(&read, given, 3);
    assert_int_equal(read.count, 7);
    assert_string_equal(read.at[0], "first");
    for (size_t i = 0; words[i] != NULL; i++)
        assert_string_equal(read.at[i + 1], words[i]);
    assert_string_equal(read.at[6], "@no/such/file");
    driver_words_free(&read);

    file_write(path, name, strlen(name)); /* a response file that contains itself */
    driver_response_expand(&read, given, 2);
    assert_int_equal(read.count, 2);
    driver_words_free(&read);
    free(path);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_what_is_left),
        cmocka_unit_test(modes),
        cmocka_unit_test(levels),
        cmocka_unit_test(other_facts),
        cmocka_unit_test(own_options),
        cmocka_unit_test(response_files),
    };
    return cmocka_run_group_tests_name("the driver's arguments", tests, NULL, NULL);
}
