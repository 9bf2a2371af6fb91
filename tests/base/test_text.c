/* Numbers, sizes and times as text, and JSON: exact, and the same in every locale. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/json.h"
#include "tests/support/markup.h"
#include "tests/support/random_spec.h"

static void sizes_are_short(void **state) {
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "0 B"},         {1, "1 B"},         {999, "999 B"},       {1000, "1 kB"},      {1234, "1.23 kB"},
                 {12345, "12.3 kB"}, {123456, "123 kB"}, {999499, "999 kB"},   {999500, "1 MB"},    {64e6, "64 MB"},
                 {1.5e9, "1.5 GB"},  {2e12, "2 TB"},     {3.25e15, "3.25 PB"}, {0x1p64, "18.4 EB"}, {-1, "?"},
                 {NAN, "?"},         {INFINITY, "?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(verso__bytes(cases[i].bytes).text, cases[i].text);
}

/* Includes values that rounding raises to the next unit. */
static void ticks_are_short(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},        {2500, "2.5k"},          {999.96, "1k"},
                 {1.5e6, "1.5M"}, {2e17, "200P"},          {9.99977e17, "1e18"},
                 {1e18, "1e18"},  {1.23456e20, "1.23e20"}, {5e23, "5e23"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(verso__tick(cases[i].value, 1e24).text, cases[i].text);
    assert_string_equal(verso__tick(2500, 9000).text, "2,500");
}

static void times_are_short(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {0, "0 s"},          {0.00042, "0.42 ms"}, {0.0123, "12 ms"},   {0.9996, "1 s"},         {12.34, "12.3 s"},
        {59.94, "59.9 s"},   {59.96, "1 min"},     {75, "1 min 15 s"},  {3599.4, "59 min 59 s"}, {3599.6, "1 h"},
        {7500, "2 h 5 min"}, {86399, "1 d"},       {100000, "1 d 4 h"}, {8640000, "100 d"},      {1e12, "11.57M d"},
        {-1, "?"},           {NAN, "?"},           {INFINITY, "?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(verso__duration(cases[i].seconds).text, cases[i].text);
}

static void doubles_are_as_short_as_can_be(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {0.00001, "0.00001"},
                 {1e-6, "1e-6"},
                 {1.25e-7, "1.25e-7"},
                 {1200, "1200"},
                 {123.456, "123.456"},
                 {1e20, "100000000000000000000"},
                 {1e21, "1e21"},
                 {DBL_MAX, "1.7976931348623157e308"},
                 {5e-324, "5e-324"},
                 {1.0 / 3, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(verso__shortest(cases[i].value).text, cases[i].text);
}

static void doubles_read_back_as_the_same_bits(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = random_below(&source, UINT64_MAX);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        double read = strtod(verso__shortest(value).text, NULL);
        assert_true(read == value);
    }
}

static void the_decimal_sign_is_a_point_everywhere(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8", "de_DE", "fa_IR"};
    bool found = false;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (setlocale(LC_NUMERIC, locales[i]) == NULL)
            continue;
        found = true;
        assert_string_equal(verso__shortest(1234.5).text, "1234.5");
        assert_string_equal(verso__shortest(1.25e-9).text, "1.25e-9");
        assert_string_equal(verso__decimal(3.4, 2).text, "3.40");
    }
    setlocale(LC_NUMERIC, "C");
    if (!found)
        print_message("no locale with another decimal sign is installed\n");
}

/* What the parser reads of a string that was written. */
static void check_string(const char *written, const char *wanted) {
    markup_page page = {0};
    verso__text text = {.sink = markup_keep, .context = &page};
    verso__json json = {.text = &text};
    verso__json_open(&json, NULL, '[');
    verso__json_string(&json, NULL, written);
    verso__json_close(&json, ']');
    assert_int_equal(verso__text_close(&text), VERSO_STATUS_OK);
    json_t *root = json_loads(page.text, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_array_get(root, 0)), wanted);
    json_decref(root);
    free(page.text);
}

static void strings_survive(void **state) {
    (void)state;
    check_string("", "");
    check_string("a \"word\" \\ </script>\n\t\x01\x7f", "a \"word\" \\ </script>\n\t\x01\x7f");
    check_string("\xC2\xB5 \xE2\x82\xAC \xF0\x9D\x84\x9E", "\xC2\xB5 \xE2\x82\xAC \xF0\x9D\x84\x9E");
    check_string("\xFF", "\xEF\xBF\xBD");
    check_string("a\xC2", "a\xEF\xBF\xBD");                                               /* ends within a character */
    check_string("\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD");                                 /* too long a form */
    check_string("\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");                 /* half a surrogate pair */
    check_string("\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* beyond U+10FFFF */
}

static void any_bytes_make_a_string(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int i = 0; i < 20000; i++) {
        char bytes[9] = {0};
        for (size_t j = 0; j < sizeof bytes - 1; j++)
            bytes[j] =
                (char)(random_below(&source, 4) == 0 ? random_below(&source, 256) : 0x80 + random_below(&source, 128));
        markup_page page = {0};
        verso__text text = {.sink = markup_keep, .context = &page};
        verso__json json = {.text = &text};
        verso__json_open(&json, NULL, '[');
        verso__json_string(&json, NULL, bytes);
        verso__json_close(&json, ']');
        verso__text_close(&text);
        json_t *root = json_loads(page.text, 0, NULL);
        assert_non_null(root);
        json_decref(root);
        free(page.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_short),
        cmocka_unit_test(ticks_are_short),
        cmocka_unit_test(times_are_short),
        cmocka_unit_test(doubles_are_as_short_as_can_be),
        cmocka_unit_test(doubles_read_back_as_the_same_bits),
        cmocka_unit_test(the_decimal_sign_is_a_point_everywhere),
        cmocka_unit_test(strings_survive),
        cmocka_unit_test(any_bytes_make_a_string),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
