/* Tests writing a report with every allocation failing once: NO_MEMORY each time, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <verso/run.h>

#include "base/alloc.h"

static verso_status swallow(void *context, const char *text, size_t size) {
    (void)context;
    (void)text;
    (void)size;
    return VERSO_STATUS_OK;
}

typedef verso_status writer(const verso_run_report *report, verso_sink sink, void *context, verso_error *error);

static void try_every_allocation(writer *write) {
    verso_run_report report = {.size = sizeof(verso_run_report), .sample_count = VERSO_SAMPLES_MAX};
    verso_status status = VERSO_STATUS_NO_MEMORY;
    uint64_t tries = 0;
    while (status != VERSO_STATUS_OK) {
        verso_error error = {0};
        uint64_t before = verso__alloc_live();
        verso__alloc_fail_at(++tries);
        status = write(&report, swallow, NULL, &error);
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), before);
        assert_true(status == VERSO_STATUS_OK || status == VERSO_STATUS_NO_MEMORY);
        assert_int_equal(error.status, status);
        assert_true(tries < 1000);
    }
    assert_true(tries > 1);
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    try_every_allocation(verso_report_json);
    try_every_allocation(verso_report_html);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_is_taken_for_granted)};
    return cmocka_run_group_tests_name("report without memory", tests, NULL, NULL);
}
