/* Tests native derivatives with the n-th allocation failing, for every n: an error is returned, nothing leaks, and
 * the next differentiation works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "native/api/api.h"
#include "native/memory/inside.h"
#include "tests/support/folder.h"
#include "tests/support/native_program.h"

enum { SIZE = 9 };
static const double x[SIZE] = {0.3, 0.7, -0.4, 1.5, 0, 2, -0.1, 0.9, 0.5};
static double expected[SIZE];

typedef verso_status trial(verso_error *error);

static verso_status cut_gradient(verso_error *error) {
    double gradient[SIZE] = {0};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso__native_cut_next(5, 1);
    verso_status status = verso_gradient(chain, x, SIZE, gradient, NULL, &report, error);
    if (status == VERSO_STATUS_OK)
        assert_memory_equal(gradient, expected, sizeof gradient);
    return status;
}

static verso_status scheduled_gradient(verso_error *error) {
    double gradient[SIZE] = {0};
    verso_run_options run;
    verso_run_options_init(&run);
    run.spec.slots = 2;
    verso_native_options options = {.size = sizeof(verso_native_options), .run = &run, .leaf = 200};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_status status = verso_gradient(chain, x, SIZE, gradient, &options, &report, error);
    if (status == VERSO_STATUS_OK)
        assert_memory_equal(gradient, expected, sizeof gradient);
    return status;
}

/* Computes a gradient of which a part of the recording is in a file. */
static verso_status offload(bool synchronous, verso_error *error) {
    enum { MANY = 90000 };
    double *numbers = calloc(2 * MANY, sizeof *numbers); /* not a variable: capsules hold those */
    assert_non_null(numbers);
    verso_native_options options = {.size = sizeof(verso_native_options),
                                    .offload_directory = "/tmp",
                                    .offload_memory = 4 << 20,
                                    .offload_synchronous = synchronous};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_status status = verso_gradient(chain, numbers, MANY, numbers + MANY, &options, &report, error);
    free(numbers);
    if (status == VERSO_STATUS_OK)
        assert_true(report.offload_bytes > 0);
    return status;
}

static verso_status offloaded_gradient(verso_error *error) {
    return offload(true, error);
}

static verso_status offloaded_gradient_with_thread(verso_error *error) {
    return offload(false, error);
}

static verso_status profiled_gradient(verso_error *error) {
    double gradient[SIZE] = {0};
    verso_profile *profile = NULL;
    verso_native_options options = {.size = sizeof(verso_native_options), .profile = &profile};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_status status = verso_gradient(chain, x, SIZE, gradient, &options, &report, error);
    assert_int_equal(profile != NULL, status == VERSO_STATUS_OK);
    if (status == VERSO_STATUS_OK)
        assert_memory_equal(gradient, expected, sizeof gradient);
    verso_profile_free(profile);
    return status;
}

/* Does what a process does that begins a durable run, in a folder of its own. */
static verso_status durable_gradient(verso_error *error) {
    double gradient[SIZE] = {0};
    char *directory = folder_new();
    verso_run_options run;
    verso_run_options_init(&run);
    run.spec.slots = 2;
    run.directory = directory;
    run.foreground = true;
    verso_native_options options = {.size = sizeof(verso_native_options), .run = &run, .leaf = 200};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_status status = verso_gradient(chain, x, SIZE, gradient, &options, &report, error);
    if (status == VERSO_STATUS_OK)
        assert_memory_equal(gradient, expected, sizeof gradient);
    folder_remove(directory);
    return status;
}

static verso_status check_gradient(verso_error *error) {
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_status status = verso_check_gradient(chain, x, SIZE, NULL, &report, error);
    assert_int_equal(report.holds, status == VERSO_STATUS_OK);
    return status;
}

static verso_status check_run(verso_error *error) {
    double state[3] = {0.5, 0.6, 0.7};
    float floats[1] = {1.5f};
    walk_state context = {state, floats, 3, 4};
    verso_array regions[] = {{state, 3, VERSO_SCALAR_DOUBLE, NULL}, {floats, 1, VERSO_SCALAR_FLOAT, NULL}};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_status status = verso_check(walk, &context, regions, 2, regions, 2, NULL, &report, error);
    assert_int_equal(report.holds, status == VERSO_STATUS_OK);
    return status;
}

static void try_every(trial *one) {
    verso_error error;
    uint64_t live = verso__alloc_live(), n = 1;
    for (;; n++) {
        verso__alloc_fail_at(n);
        verso_status status = one(&error);
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), live);
        if (status == VERSO_STATUS_OK)
            break;
        assert_int_equal(status, VERSO_STATUS_NO_MEMORY);
        assert_int_equal(error.status, VERSO_STATUS_NO_MEMORY);
        assert_true(error.message[0] != '\0');
        assert_int_equal(one(&error), VERSO_STATUS_OK);
    }
    assert_true(n > 3); /* something was allocated */
}

static void failures_are_errors_and_lose_nothing(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    assert_int_equal(verso_gradient(chain, x, SIZE, expected, NULL, NULL, NULL), VERSO_STATUS_OK);
    try_every(cut_gradient);
    try_every(scheduled_gradient);
    try_every(profiled_gradient);
    verso__native_space_now.fixed = true; /* within one process it is so */
    try_every(durable_gradient);
    try_every(check_gradient);
    try_every(check_run);
    try_every(offloaded_gradient); /* last: what capsules of the others would hold of its heap makes them slow */
    try_every(offloaded_gradient_with_thread);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(failures_are_errors_and_lose_nothing)};
    return cmocka_run_group_tests_name("native, failing allocations", tests, NULL, NULL);
}
