/* Tests the tables of C library functions that `verso cc` knows: they are sorted, so that binary search finds every
 * name, and each name has one class. The tables are private to their file, which is included here; it does not need
 * LLVM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cc/front/known_held.c"
#include "cc/front/known_table.c"

/* Calls `check` with every name. Returns the number of names. */
static size_t each_word(const char *words, cc_known_class class, void (*check)(const char *, cc_known_class)) {
    size_t count = 0;
    char name[64];
    for (const char *at = words; *at != '\0'; count++) {
        size_t length = strcspn(at, " ");
        assert_in_range(length, 1, sizeof name - 1);
        memcpy(name, at, length);
        name[length] = '\0';
        check(name, class);
        at += length;
        if (*at == ' ')
            at++;
    }
    return count;
}

static void is_found(const char *name, cc_known_class class) {
    cc_known known = cc_known_in_table(name);
    if (known.class != class)
        fail_msg("%s is found as class %d, not %d: the table is out of order, or has it twice", name, (int)known.class,
                 (int)class);
    assert_string_equal(known.name, name);
}

static void every_name_is_found(void **state) {
    (void)state;
    size_t names = 0;
    for (size_t i = 0; i < COUNT(plain); i++)
        names += each_word(plain[i].words, plain[i].class, is_found);
    for (size_t i = 0; i < COUNT(detailed); i++)
        for (size_t k = 0; k < detailed[i].count; k++, names++)
            is_found(detailed[i].entries[k].name, detailed[i].class);
    assert_in_range(names, 800, 5000);
}

static char before[64];

static void comes_after(const char *name, cc_known_class class) {
    (void)class;
    if (strcmp(before, name) >= 0)
        fail_msg("%s precedes %s", before, name);
    strcpy(before, name);
}

static void names_are_in_order(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(plain); i++) {
        before[0] = '\0';
        assert_true(each_word(plain[i].words, CC_KNOWN_NOT, comes_after) >= 8);
    }
    for (size_t i = 0; i < COUNT(detailed); i++) {
        before[0] = '\0';
        for (size_t k = 0; k < detailed[i].count; k++)
            comes_after(detailed[i].entries[k].name, CC_KNOWN_NOT);
    }
}

static void what_is_not_there_is_not_found(void **state) {
    (void)state;
    const char *const strange[] = {"",       " ",   "strle", "strlenx", "a", "zzz", "write ", "_Exit _IO_getc",
                                   "freadx", "fre", "sin"};
    for (size_t i = 0; i < COUNT(strange); i++)
        assert_int_equal(cc_known_in_table(strange[i]).class, CC_KNOWN_NOT);
}

static void check_areas(const char *how) {
    assert_in_range(strlen(how), 2, 8);
    assert_int_equal(strlen(how) % 2, 0);
    for (; *how != '\0'; how += 2) {
        assert_non_null(strchr("0123456789r", how[0]));
        assert_true(strchr("0123456789xrsnfFdilEPW", how[1]) != NULL || cc_struct_bytes(how[1]) > 0);
    }
}

static void descriptions_are_as_the_header_says(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(detailed); i++)
        for (size_t k = 0; k < detailed[i].count; k++) {
            const char *how = detailed[i].entries[k].how;
            if (detailed[i].class != CC_KNOWN_MEMORY) {
                check_areas(how);
                continue;
            }
            assert_non_null(strchr("csarf", how[0]));
            assert_int_equal(strspn(how + 1, "01") + 1, strlen(how));
        }
    assert_string_equal(cc_known_in_table("calloc").writes, "a01");
    assert_string_equal(cc_known_in_table("fread").writes, "0x");
}

/* Each function that holds something outside is called once in a repeated run; its letters are those of the header, in
 * order. */
static void what_calls_hold_is_described(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(holdings); i++) {
        const char *how = holdings[i].how;
        if (cc_known_in_table(holdings[i].name).world != CC_WORLD_ONCE)
            fail_msg("%s is not made once", holdings[i].name);
        if (i > 0 && strcmp(holdings[i - 1].name, holdings[i].name) >= 0)
            fail_msg("%s precedes %s", holdings[i - 1].name, holdings[i].name);
        assert_string_equal(cc_known_held(holdings[i].name), how);
        assert_in_range(strlen(how), 2, 4);
        for (; *how != '\0'; how += 2)
            assert_true((strchr("sdk", how[0]) != NULL && strchr("0123", how[1]) != NULL) ||
                        (strchr("oO", how[0]) != NULL && strchr("0r", how[1]) != NULL) || strncmp(how, "si", 2) == 0 ||
                        strncmp(how, "pr", 2) == 0 || strncmp(how, "cc", 2) == 0);
    }
    assert_string_equal(cc_known_held("fgets"), "s2");
    assert_string_equal(cc_known_held("printf"), "");
}

static void each_is_sorted_by_what_it_has_to_do_with_the_world(void **state) {
    (void)state;
    static const struct {
        const char *name;
        cc_world world;
    } known[] = {{"strlen", CC_WORLD_NOT},   {"snprintf", CC_WORLD_NOT}, {"sscanf", CC_WORLD_NOT},
                 {"fread", CC_WORLD_ONCE},   {"printf", CC_WORLD_ONCE},  {"time", CC_WORLD_ONCE},
                 {"getenv", CC_WORLD_ONCE},  {"rand", CC_WORLD_RANDOM},  {"drand48", CC_WORLD_RANDOM},
                 {"rand_r", CC_WORLD_NOT},   {"getopt", CC_WORLD_NEVER}, {"localtime", CC_WORLD_NOT},
                 {"regcomp", CC_WORLD_ONCE}, {"qsort", CC_WORLD_NOT},    {"malloc", CC_WORLD_NOT}};
    for (size_t i = 0; i < COUNT(known); i++)
        assert_int_equal(cc_known_in_table(known[i].name).world, known[i].world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found),
        cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(descriptions_are_as_the_header_says),
        cmocka_unit_test(what_calls_hold_is_described),
        cmocka_unit_test(each_is_sorted_by_what_it_has_to_do_with_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
