/* The tables of C library functions that `verso cc` knows: in order, so that bisecting finds every name, and without
 * doubt about what a name is. The tables are private to their file and need nothing of LLVM: they are compiled in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cc/known_table.c"

/* Calls `check` with every name; how many there were. */
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
    assert_in_range(each_word(reads, CC_KNOWN_READS, is_found), 200, 1000);
    assert_in_range(each_word(reads_on, CC_KNOWN_READS, is_found), 200, 1000);
    assert_in_range(each_word(own, CC_KNOWN_LIBRARY, is_found), 50, 1000);
    assert_in_range(each_word(jumps, CC_KNOWN_JUMP, is_found), 8, 100);
    assert_in_range(each_word(threads, CC_KNOWN_THREAD, is_found), 8, 100);
    for (size_t i = 0; i < COUNT(memory); i++)
        is_found(memory[i].name, CC_KNOWN_MEMORY);
    for (size_t i = 0; i < COUNT(writes); i++)
        is_found(writes[i].name, CC_KNOWN_WRITES);
}

static char before[64];

static void comes_after(const char *name, cc_known_class class) {
    (void)class;
    if (strcmp(before, name) >= 0)
        fail_msg("%s stands before %s", before, name);
    strcpy(before, name);
}

static void names_are_in_order(void **state) {
    (void)state;
    const char *const lists[] = {own, jumps, threads};
    before[0] = '\0';
    each_word(reads, CC_KNOWN_READS, comes_after);
    each_word(reads_on, CC_KNOWN_READS, comes_after);
    for (size_t i = 0; i < COUNT(lists); i++) {
        before[0] = '\0';
        each_word(lists[i], CC_KNOWN_NOT, comes_after);
    }
    for (size_t i = 1; i < COUNT(memory); i++)
        assert_true(strcmp(memory[i - 1].name, memory[i].name) < 0);
    for (size_t i = 1; i < COUNT(writes); i++)
        assert_true(strcmp(writes[i - 1].name, writes[i].name) < 0);
}

static void what_is_not_there_is_not_found(void **state) {
    (void)state;
    const char *const strange[] = {"",       " ",   "strle", "strlenx", "a", "zzz", "write ", "_Exit _IO_getc",
                                   "freadx", "fre", "sin"};
    for (size_t i = 0; i < COUNT(strange); i++)
        assert_int_equal(cc_known_in_table(strange[i]).class, CC_KNOWN_NOT);
}

static void descriptions_are_as_the_header_says(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(writes); i++) {
        const char *how = writes[i].how;
        assert_in_range(strlen(how), 2, 6);
        assert_int_equal(strlen(how) % 2, 0);
        for (; *how != '\0'; how += 2) {
            assert_non_null(strchr("0123456789r", how[0]));
            assert_non_null(strchr("0123456789xrsnfdilpq", how[1]));
        }
    }
    for (size_t i = 0; i < COUNT(memory); i++) {
        assert_non_null(strchr("csarf", memory[i].how[0]));
        assert_int_equal(strspn(memory[i].how + 1, "01") + 1, strlen(memory[i].how));
    }
    assert_string_equal(cc_known_in_table("calloc").writes, "a01");
    assert_string_equal(cc_known_in_table("fread").writes, "0x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found),
        cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(descriptions_are_as_the_header_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
