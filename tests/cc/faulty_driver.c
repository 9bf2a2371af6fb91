/* Reads a compiler's command line and a linker's trace while each allocation in turn fails: the failure is reported,
 * and no memory is leaked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "cc/driver/compile.h"
#include "cc/driver/link.h"

static const char object[] = VERSO_TEST_DATA "/fuzz_elf/fat";
static const char archive[] = VERSO_TEST_DATA "/fuzz_archive/indexed";

/* Returns false if an allocation failed. */
static bool read_all(void) {
    char *line[] = {"cc", "-O2", "-Wl,-rpath,/x",          "main.o", "--verso-inactive=f,g", "-lm", "-o", "program",
                    "--", "x.o", (char *)(uintptr_t)object};
    driver_session session;
    driver_arguments arguments;
    driver_trace trace = {0};
    driver_words complaint = {0}, command = {0};
    verso_error error;
    driver_session_open(&session, DRIVER_C);
    bool done = driver_arguments_read(&arguments, sizeof line / sizeof *line, line, &complaint) &&
                !arguments.words.failed && !arguments.pieces.failed && !arguments.inactive.failed;
    if (done) {
        char text[4096];
        int size =
            snprintf(text, sizeof text, "%s\n(%s)plain.o\n%s(plain.o)\nsomething else\n", object, archive, archive);
        driver_bytes said = {(const unsigned char *)text, (size_t)size};
        verso_status status = driver_trace_read(&session, &arguments, NULL, said, &trace, &error);
        done = status == VERSO_STATUS_OK && trace.count == 2 && trace.other.count == 1;
        assert_true(done || status == VERSO_STATUS_NO_MEMORY);
    }
    driver_link_command(&session, &arguments, &(driver_places){.library = "l.a"},
                        &(driver_link_line){.trace = true, .library = true}, &command);
    done = done && !command.failed;
    driver_words_free(&command);
    driver_words_free(&complaint);
    driver_trace_free(&trace);
    driver_arguments_free(&arguments);
    driver_session_close(&session);
    return done;
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    uint64_t tries = 0;
    for (bool done = false; !done;) {
        uint64_t before = verso__alloc_live();
        verso__alloc_fail_at(++tries);
        done = read_all();
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), before);
        assert_true(tries < 1000);
    }
    assert_true(tries > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_is_taken_for_granted)};
    return cmocka_run_group_tests_name("the driver without memory", tests, NULL, NULL);
}
