/* Tests runs that are continued from forged journals with valid checksums: they end with the right bits or with an
 * error. fuzz_restart.c tries more. VERSO_TRIES sets the number of journals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_up_journals_are_refused_or_right)};
    return cmocka_run_group_tests_name("made", tests, NULL, NULL);
}
