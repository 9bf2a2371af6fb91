/* Tests drawing a picture with every allocation failing once: NO_MEMORY each time, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <verso/picture.h>

#include "base/alloc.h"

static verso_status swallow(void *context, const char *text, size_t size) {
    (void)context;
    (void)text;
    (void)size;
    return VERSO_STATUS_OK;
}

static void try_every_allocation(const verso_schedule_spec *spec) {
    verso_status status = VERSO_STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != VERSO_STATUS_OK; n++) {
        verso_error error = {0};
        uint64_t before = verso__alloc_live();
        verso__alloc_fail_at(n);
        status = verso_picture_html(spec, swallow, NULL, &error);
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), before);
        assert_true(status == VERSO_STATUS_OK || status == VERSO_STATUS_NO_MEMORY);
        assert_int_equal(error.status, status);
        assert_true(n < 10000);
    }
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
    spec.slots = 6;
    spec.steps = 100; /* every action a mark */
    try_every_allocation(&spec);
    spec.steps = 20000; /* merged marks */
    try_every_allocation(&spec);
    spec.kind = VERSO_KIND_STORE_ALL; /* many capsules at once */
    try_every_allocation(&spec);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_is_taken_for_granted)};
    return cmocka_run_group_tests_name("picture without memory", tests, NULL, NULL);
}
