/* Tests runs that are continued from forged journals with valid checksums: they end with the right bits or with an
 * error. fuzz_restart.c tries more. VERSO_TRIES sets the number of journals. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/made_journal.h"
#include "tests/support/random_spec.h"

#include <unistd.h>

enum { TRIES = 1500, BYTES_MOST = 48, HANGS_SECONDS = 300 };

static void made_up_journals_are_refused_or_right(void **state) {
    (void)state;
    const char *wanted = getenv("VERSO_TRIES");
    unsigned long tries = wanted != NULL ? strtoul(wanted, NULL, 10) : TRIES, right = 0;
    random_source source = random_from_seed(random_seed());
    alarm(wanted == NULL ? HANGS_SECONDS : 0);
    made_begin();
    for (unsigned long i = 0; i < tries; i++) {
        uint8_t bytes[BYTES_MOST];
        size_t size = random_below(&source, BYTES_MOST);
        for (size_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)random_below(&source, 256);
        right += made_try(bytes, size);
    }
    made_end();
    alarm(0);
    assert_true(right > tries / 20 && right < tries); /* both ends are met */
}

/* What the fuzzer has found, which made_try would stop at. */
static void found_journals_are_refused_or_right(void **state) {
    (void)state;
    static const char folder[] = VERSO_TEST_DATA "/fuzz_restart";
    size_t tried = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    made_begin();
    for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
        char path[1024];
        size_t size;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unsigned char *bytes = file_read(path, &size);
        assert_non_null(bytes);
        (void)made_try(bytes, size);
        free(bytes);
        tried++;
    }
    made_end();
    closedir(open);
    assert_true(tried > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(found_journals_are_refused_or_right),
                                       cmocka_unit_test(made_up_journals_are_refused_or_right)};
    return cmocka_run_group_tests_name("made", tests, NULL, NULL);
}
