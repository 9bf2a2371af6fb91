/* The texts of VLAD: data, what is no datum, places, and how messages show them. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "vlad/character.h"
#include "vlad/read.h"

/* ---- Data as text ---- */

static void put_datum(FILE *out, const vlad_datum *datum) {
    switch (datum->kind) {
    case VLAD_DATUM_EMPTY: fputs("()", out); break;
    case VLAD_DATUM_BOOLEAN: fputs(datum->is.truth ? "#t" : "#f", out); break;
    case VLAD_DATUM_NUMBER: fprintf(out, "%.17g", datum->is.number); break;
    case VLAD_DATUM_SYMBOL: fputs(datum->is.symbol->name, out); break;
    case VLAD_DATUM_STRING: fprintf(out, "\"%s\"", datum->is.string); break;
    case VLAD_DATUM_PAIR:
        for (const char *before = "("; datum->kind == VLAD_DATUM_PAIR; datum = datum->is.pair.rest, before = " ") {
            fputs(before, out);
            put_datum(out, datum->is.pair.first);
        }
        if (datum->kind != VLAD_DATUM_EMPTY) {
            fputs(" . ", out);
            put_datum(out, datum);
        }
        fputc(')', out);
        break;
    }
}

typedef struct reading {
    vlad_sources *sources;
    vlad_symbols symbols;
    const vlad_datum *forms;
    verso_status status;
    verso_error error;
} reading;

static reading begin(const char *name, const char *text, size_t size) {
    reading r = {.sources = vlad_sources_new()};
    uint32_t file;
    assert_int_equal(vlad_symbols_init(&r.symbols, r.sources, NULL), VERSO_OK);
    assert_int_equal(vlad_sources_add(r.sources, name, text, size, &file, NULL), VERSO_OK);
    r.status = vlad_read(&r.symbols, file, &r.forms, &r.error);
    return r;
}

static void end(reading *r) {
    vlad_symbols_free(&r->symbols);
    vlad_sources_free(r->sources);
}

static void expect(const char *text, const char *expected) {
    reading r = begin("t", text, strlen(text));
    if (r.status != VERSO_OK)
        fail_msg("%s: %s", text, r.error.message);
    char *found;
    size_t size;
    FILE *out = open_memstream(&found, &size);
    put_datum(out, r.forms);
    fclose(out);
    if (strcmp(found, expected) != 0)
        fail_msg("%s\nexpected %s\nfound    %s", text, expected, found);
    free(found);
    end(&r);
}

static void data_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text, *data;
    } good[] = {
        {"", "()"},
        {" \t\r\n\f ", "()"},
        {"1 -2.5e3 .5 1. +3 -.25E+2 1e-2", "(1 -2500 0.5 1 3 -25 0.01)"},
        {"123456789012345678901234567890123456789012345678901234567890123456789", "(1.2345678901234569e+68)"},
        {"1e-999", "(0)"},
        {"#t #f ()", "(#t #f ())"},
        {"a + - ... -> x.y <=? !$%&*/:<=>?@^_~ .x -x", "(a + - ... -> x.y <=? !$%&*/:<=>?@^_~ .x -x)"},
        {"\xce\xbb \xe2\x86\x90 \xf0\x9d\x91\xa5", "(\xce\xbb \xe2\x86\x90 \xf0\x9d\x91\xa5)"},
        {"(a (b c) . d)", "((a (b c) . d))"},
        {"(a . (b . (c . ())))", "((a b c))"},
        {"'x '(a . b) ''y", "((quote x) (quote (a . b)) (quote (quote y)))"},
        {"a'b(c)d", "(a (quote b) (c) d)"},
        {"\"file\" \"a\\\"b\\\\c\"", "(\"file\" \"a\"b\\c\")"},
        {"a ; b\nc", "(a c)"},
        {"a #| b #| c |# d |# e", "(a e)"},
        {"a #;b c (d #;(e f)) #;#;g h i", "(a c (d) i)"},
        {"(a #;b . #;c d #;e)", "((a . d))"},
        {"#|||#a", "(a)"},
        {"\xef\xbb\xbf"
         "a",
         "(a)"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect(good[i].text, good[i].data);
}

/* ---- Messages ---- */

static void wrong_texts_are_refused_in_words(void **state) {
    (void)state;
    static const struct {
        const char *text;
        verso_status status;
        const char *message;
    } bad[] = {
        {"(a\n  (b", VERSO_STATE, "t:2:5: expected `)` to close the `(` at 2:3\n    (b\n      ^"},
        {"\n\n(a (b)\n", VERSO_STATE, "t:3:7: expected `)` to close the `(` at 3:1\n  (a (b)\n        ^"},
        {"a #| #| |#", VERSO_STATE, "expected `|#` to close the `#|` at 1:3"},
        {"'", VERSO_STATE, "t:1:2: expected a datum after `'`\n  '\n   ^"},
        {"(a . ", VERSO_STATE, "expected a datum after `.`"},
        {"#;", VERSO_STATE, "expected a datum after `#;`"},
        {"a)", VERSO_INVALID, "t:1:2: unexpected `)`: there is no `(` that it could close\n  a)\n   ^"},
        {"(')", VERSO_INVALID, "t:1:3: expected a datum after `'`"},
        {"(a #;)", VERSO_INVALID, "t:1:6: expected a datum after `#;`"},
        {"(a . )", VERSO_INVALID, "t:1:6: expected a datum after `.`"},
        {"(a . b c)", VERSO_INVALID, "t:1:8: expected `)`: one datum follows a `.`"},
        {"(a . b . c)", VERSO_INVALID, "t:1:8: a second `.` in one list"},
        {"(a . . c)", VERSO_INVALID, "t:1:6: a second `.` in one list"},
        {"( . b)", VERSO_INVALID, "t:1:3: expected a datum before `.`, which stands before the last one of a list"},
        {". b", VERSO_INVALID, "t:1:1: expected a datum before `.`"},
        {"('. a)", VERSO_INVALID, "expected a datum before `.`"},
        {"1/2", VERSO_INVALID, "t:1:1: `1/2` is not a number, and a name does not begin like one"},
        {"-1x", VERSO_INVALID, "`-1x` is not a number"},
        {"1e", VERSO_INVALID, "`1e` is not a number"},
        {"1.2.3", VERSO_INVALID, "`1.2.3` is not a number"},
        {"-1e999", VERSO_INVALID, "`-1e999` is too large for a real number"},
        {"#true", VERSO_INVALID, "expected `#t`, `#f`, `#;` or `#|` instead of `#true`"},
        {"#", VERSO_INVALID, "expected `#t`, `#f`, `#;` or `#|` instead of `#`"},
        {"(a [b])", VERSO_INVALID, "t:1:4: unexpected character `[`\n  (a [b])\n     ^"},
        {"a#b", VERSO_INVALID, "t:1:2: unexpected character `#`"},
        {"\xc3\xa9"
         "a,b",
         VERSO_INVALID,
         "t:1:3: unexpected character `,`\n  \xc3\xa9"
         "a,b\n    ^"},
        {"a\x01", VERSO_INVALID, "t:1:2: unexpected character `?`\n  a?\n   ^"},
        {"\ta\xff\xc3", VERSO_INVALID, "t:1:3: unexpected character `?`\n   a??\n    ^"},
        {"a\xc2\xa0"
         "b",
         VERSO_INVALID, "t:1:2: unexpected character `?`"}, /* a blank that does not break */
        {"\"abc", VERSO_INVALID, "t:1:1: expected `\"` at the end of this string"},
        {"\"abc\n\"", VERSO_INVALID, "t:1:1: expected `\"` at the end of this string"},
        {"\"a\\n\"", VERSO_INVALID, "t:1:3: expected `\\\"` or `\\\\` in a string"},
        {"\"a\\", VERSO_INVALID, "expected `\\\"` or `\\\\` in a string"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reading r = begin("t", bad[i].text, strlen(bad[i].text));
        if (r.status != bad[i].status || r.error.status != r.status || r.forms != NULL ||
            strstr(r.error.message, bad[i].message) == NULL)
            fail_msg("%s\nexpected %s\nfound    %s", bad[i].text, bad[i].message, r.error.message);
        end(&r);
    }
    reading r = begin("t", "\"a\0b\"", 5);
    assert_int_equal(r.status, VERSO_INVALID);
    assert_non_null(strstr(r.error.message, "t:1:3: a string has no NUL in it"));
    end(&r);
    r = begin("t", "a\0", 2);
    assert_int_equal(r.status, VERSO_INVALID);
    assert_non_null(strstr(r.error.message, "t:1:2: unexpected character `?`"));
    end(&r);
}

static void expect_shown(const char *name, const char *text, const char *expected) {
    reading r = begin(name, text, strlen(text));
    assert_int_equal(r.status, VERSO_INVALID);
    assert_string_equal(r.error.message, expected);
    end(&r);
}

static void long_lines_are_cut_around_the_caret(void **state) {
    (void)state;
    char text[2048], expected[1024], name[600];
    memset(text, 'a', 1000);
    strcpy(text + 1000, ")");
    memset(text + 1001, 'b', 500);
    text[1501] = '\0';
    snprintf(expected, sizeof expected,
             "t:1:1001: unexpected `)`: there is no `(` that it could close\n  ...%.48s)%.47s...\n  %*s^", text,
             text + 1001, 51, "");
    expect_shown("t", text, expected);
    snprintf(expected, sizeof expected,
             "t:1:1001: unexpected `)`: there is no `(` that it could close\n  ...%.48s)\n  %*s^", text, 51, "");
    text[1001] = '\0';
    expect_shown("t", text, expected);

    memset(name, 'x', sizeof name - 1); /* the end of a long name is shown */
    memcpy(name + sizeof name - 6, "/name", 6);
    snprintf(expected, sizeof expected, "...%s:1:1: unexpected `)`: there is no `(` that it could close\n  )\n  ^",
             name + sizeof name - 101);
    expect_shown(name, ")", expected);

    size_t used = 0; /* characters of four bytes: the window shrinks until it fits */
    for (; used < 1200; used += 4)
        memcpy(text + used, "\xf0\x9d\x91\xa5", 4);
    strcpy(text + used, ")");
    reading r = begin(name, text, strlen(text));
    assert_int_equal(r.status, VERSO_INVALID);
    assert_int_equal(r.error.message[strlen(r.error.message) - 1], '^');
    end(&r);
}

static void messages_go_without_place_or_error(void **state) {
    (void)state;
    reading r = begin("t", "(a)\r\n(b)", 8);
    assert_int_equal(r.status, VERSO_OK);
    vlad_place nowhere = {0}, far = {0, 9, 9}, second = {0, 1, 2};
    assert_int_equal(vlad_fail_at(r.sources, nowhere, VERSO_INVALID, &r.error, "%d wrong", 1), VERSO_INVALID);
    assert_string_equal(r.error.message, "1 wrong");
    assert_int_equal(vlad_fail_at(r.sources, second, VERSO_IO, NULL, "wrong"), VERSO_IO);
    assert_int_equal(vlad_fail_at(r.sources, second, VERSO_IO, &r.error, "wrong"), VERSO_IO);
    assert_string_equal(r.error.message, "t:1:2: wrong\n  (a)\n   ^");
    assert_int_equal(vlad_fail_at(r.sources, far, VERSO_IO, &r.error, "wrong"), VERSO_IO);
    assert_string_equal(r.error.message, "t:9:9: wrong\n  \n  ^");
    char much[1000];
    memset(much, 'm', sizeof much - 1);
    much[sizeof much - 1] = '\0';
    assert_int_equal(vlad_fail_at(r.sources, second, VERSO_IO, &r.error, "%s", much), VERSO_IO);
    assert_non_null(strstr(r.error.message, "m\n  (a)\n   ^"));
    end(&r);
}

static void numbers_have_a_point_in_every_locale(void **state) {
    (void)state;
    const char *found = setlocale(LC_ALL, "de_DE.UTF-8");
    if (found == NULL)
        print_message("there is no German locale here\n");
    expect("0.5", found != NULL ? "(0,5)" : "(0.5)"); /* this test prints as Germans do */
    setlocale(LC_ALL, "C");
}

static void long_names_are_cut_in_messages(void **state) {
    (void)state;
    char name[200];
    memset(name, 'n', sizeof name);
    vlad_words words = vlad_shown(name, sizeof name);
    assert_true(strlen(words.text) < sizeof words.text && strcmp(words.text + strlen(words.text) - 4, "n...") == 0);
    assert_string_equal(vlad_shown("\xce\xbb\x01z", 4).text, "\xce\xbb?z");
}

static void characters_are_utf_8_or_bytes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        uint32_t code;
    } characters[] = {
        {"a", 1, 'a'},
        {"\xc3\xa9", 2, 0xe9},
        {"\xe2\x82\xac", 3, 0x20ac},
        {"\xf0\x9d\x91\xa5", 4, 0x1d465},
        {"\xc3", 1, UINT32_MAX},             /* cut */
        {"\xc3z", 1, UINT32_MAX},            /* no continuation */
        {"\xa9", 1, UINT32_MAX},             /* a continuation alone */
        {"\xc0\x80", 1, UINT32_MAX},         /* longer than need be */
        {"\xe0\x80\x80", 1, UINT32_MAX},     /* */
        {"\xed\xa0\x80", 1, UINT32_MAX},     /* half of a pair */
        {"\xf4\x90\x80\x80", 1, UINT32_MAX}, /* beyond the last */
        {"\xff", 1, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        uint32_t code;
        assert_int_equal(vlad_character(characters[i].text, strlen(characters[i].text), &code), characters[i].length);
        assert_int_equal(code, characters[i].code);
    }
}

/* ---- Files ---- */

static void files_are_known_by_what_they_are(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "a"), *other = folder_path(folder, "./a");
    folder_write(folder, "a", "(a)", 3);
    folder_write(folder, "b", "(b)", 3);
    vlad_sources *sources = vlad_sources_new();
    uint32_t first, second, third;
    bool again;
    size_t size;
    assert_int_equal(vlad_sources_open(sources, path, UINT32_MAX, &first, &again, NULL), VERSO_OK);
    assert_false(again);
    assert_string_equal(vlad_sources_name(sources, first), path);
    assert_memory_equal(vlad_sources_text(sources, first, &size), "(a)", 3);
    assert_int_equal(size, 3);
    assert_int_equal(vlad_sources_open(sources, other, UINT32_MAX, &second, &again, NULL), VERSO_OK);
    assert_true(again && second == first);
    assert_int_equal(vlad_sources_open(sources, "b", first, &third, &again, NULL), VERSO_OK);
    assert_false(again);
    assert_memory_equal(vlad_sources_text(sources, third, &size), "(b)", 3);
    vlad_sources_forget(sources, 0);
    assert_int_equal(vlad_sources_open(sources, path, UINT32_MAX, &second, &again, NULL), VERSO_OK);
    assert_true(!again && second == 2 && vlad_sources_count(sources) == 3);
    verso_error error = {0};
    assert_int_equal(vlad_sources_open(sources, "none", first, &second, &again, &error), VERSO_IO);
    assert_non_null(strstr(error.message, "/none`: No such file or directory"));
    vlad_sources_free(sources);
    free(path);
    free(other);
    folder_remove(folder);
}

static void large_files_are_read_whole(void **state) {
    (void)state;
    enum { SIZE = 100001 };
    char *folder = folder_new(), *path = folder_path(folder, "large"), *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i % 251);
    folder_write(folder, "large", bytes, SIZE);
    vlad_sources *sources = vlad_sources_new();
    uint32_t file;
    bool again;
    size_t size;
    assert_int_equal(vlad_sources_open(sources, path, UINT32_MAX, &file, &again, NULL), VERSO_OK);
    const char *text = vlad_sources_text(sources, file, &size);
    assert_int_equal(size, SIZE);
    assert_memory_equal(text, bytes, SIZE);
    vlad_sources_free(sources);
    free(bytes);
    free(path);
    folder_remove(folder);
}

static void the_arena_gives_zeroed_memory_and_has_limits(void **state) {
    (void)state;
    vlad_sources *sources = vlad_sources_new();
    for (size_t size = 1; size < 3000000; size = 3 * size + 1) {
        unsigned char *bytes = vlad_sources_alloc(sources, size);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xff, size);
    }
    assert_null(vlad_sources_alloc(sources, SIZE_MAX - 3));
    uint32_t file;
    verso_error error = {0};
    assert_int_equal(vlad_sources_add(sources, "t", "", UINT32_MAX, &file, &error), VERSO_INVALID);
    assert_string_equal(error.message, "t: a text of 4294967295 bytes is too long");
    vlad_sources_free(sources);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_read),
        cmocka_unit_test(wrong_texts_are_refused_in_words),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(messages_go_without_place_or_error),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(long_names_are_cut_in_messages),
        cmocka_unit_test(characters_are_utf_8_or_bytes),
        cmocka_unit_test(files_are_known_by_what_they_are),
        cmocka_unit_test(large_files_are_read_whole),
        cmocka_unit_test(the_arena_gives_zeroed_memory_and_has_limits),
    };
    return cmocka_run_group_tests_name("VLAD: reading", tests, NULL, NULL);
}
