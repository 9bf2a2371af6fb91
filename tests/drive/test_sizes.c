/* The member `size` of public structs (verso/export.h): programs compiled with shorter structs work, and a struct whose
 * size was never set is refused. tests/native/api/sizes.c tests the structs of verso/native.h. */
#include "tests/support/folder.h"
#include "tests/support/toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 20, GARBAGE = 0xa5 };

static void expect_refusal(verso_status status, const verso_error *error, const char *initialiser) {
    assert_int_equal(status, VERSO_STATUS_INVALID);
    assert_int_equal(error->status, VERSO_STATUS_INVALID);
    if (strstr(error->message, "is 0: initialise it with") == NULL || strstr(error->message, initialiser) == NULL)
        fail_msg("the message does not say how to initialise the struct with %s: %s", initialiser, error->message);
}

/* Sets the members after `size` bytes to garbage: a program with a shorter struct has other data there. */
static void spoil_beyond(void *one, size_t size, size_t whole) {
    memset((unsigned char *)one + size, GARBAGE, whole - size);
}

static void expect_untouched_beyond(const void *one, size_t size, size_t whole) {
    for (size_t i = size; i < whole; i++)
        assert_int_equal(((const unsigned char *)one)[i], GARBAGE);
}

static verso_status ignore(void *context, const char *text, size_t size) {
    *(size_t *)context += size;
    (void)text;
    return VERSO_STATUS_OK;
}

/* ---- verso_run ---- */

static void a_run_with_shorter_options_and_report_works(void **state) {
    (void)state;
    const size_t sizes[] = {offsetof(verso_run_options, group), offsetof(verso_run_options, notice),
                            offsetof(verso_run_options, memory)};
    const size_t report_size = offsetof(verso_run_report, sample_count);
    const toy_result reference = toy_reference(STEPS);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static verso_run_options options;
        static verso_run_report report;
        toy model;
        verso_error error;
        spoil_beyond(&options, 0, sizeof options);
        spoil_beyond(&report, 0, sizeof report);
        verso_run_options_init_sized(&options, sizes[i]);
        assert_int_equal(options.size, sizes[i]);
        assert_int_equal(options.spec.kind, VERSO_KIND_REVOLVE);
        expect_untouched_beyond(&options, sizes[i], sizeof options);
        options.spec.slots = 3;
        report.size = report_size;
        toy_open(&model, STEPS, true);
        assert_int_equal(verso_run(&model.program, &options, &report, &error), VERSO_STATUS_OK);
        toy_result result = toy_result_of(&model);
        assert_true(toy_equal(&result, &reference));
        assert_int_equal(report.size, report_size);
        assert_true(report.done);
        assert_int_equal(report.reversed_steps, STEPS);
        expect_untouched_beyond(&report, report_size, sizeof report);
        size_t written = 0;
        assert_int_equal(verso_report_json(&report, ignore, &written, &error), VERSO_STATUS_OK);
        assert_int_equal(verso_report_html(&report, ignore, &written, &error), VERSO_STATUS_OK);
        assert_true(written > 1000);
        toy_close(&model);
    }
}

static void a_run_refuses_size_0(void **state) {
    (void)state;
    static verso_run_options options;
    static verso_run_report report;
    toy model;
    verso_error error;
    size_t written = 0;
    toy_open(&model, STEPS, true);
    verso_run_options_init(&options);
    options.spec.slots = 3;
    expect_refusal(verso_run(&model.program, &options, &report, &error), &error, "VERSO_RUN_REPORT_INIT");
    expect_refusal(verso_report_json(&report, ignore, &written, &error), &error, "VERSO_RUN_REPORT_INIT");
    expect_refusal(verso_report_html(&report, ignore, &written, &error), &error, "VERSO_RUN_REPORT_INIT");
    assert_int_equal(written, 0);
    options.size = 0;
    expect_refusal(verso_run(&model.program, &options, NULL, &error), &error, "verso_run_options_init");
    assert_int_equal(model.calls, 0);
    toy_close(&model);
}

static void a_run_refuses_an_option_that_it_does_not_know(void **state) {
    (void)state;
    static struct {
        verso_run_options known;
        uint64_t unknown;
    } options;
    toy model;
    verso_error error;
    toy_open(&model, STEPS, true);
    verso_run_options_init_sized(&options.known, sizeof options);
    options.known.spec.slots = 3;
    assert_int_equal(verso_run(&model.program, &options.known, NULL, &error), VERSO_STATUS_OK);
    options.unknown = 1;
    assert_int_equal(verso_run(&model.program, &options.known, NULL, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "does not know"));
    toy_close(&model);
}

/* ---- Loops ---- */

static void a_loop_refuses_sizes_that_no_version_has(void **state) {
    (void)state;
    toy model;
    verso_error error;
    verso_program program;
    toy_open(&model, STEPS, true);
    size_t size = model.loop.size;
    model.loop.size = 0;
    expect_refusal(verso_loop_program(&model.loop, &program, &error), &error, "VERSO_LOOP_INIT");
    model.loop.size = offsetof(verso_loop, memory);
    assert_int_equal(verso_loop_program(&model.loop, &program, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "VERSO_LOOP_INIT"));
    model.loop.size = size;
    assert_int_equal(verso_loop_program(&model.loop, &program, &error), VERSO_STATUS_OK);
    toy_close(&model);
}

/* ---- Stores ---- */

static void a_file_store_with_shorter_options_works(void **state) {
    (void)state;
    char *directory = folder_new();
    verso_file_store_options options;
    verso_store store;
    verso_error error;
    const size_t size = offsetof(verso_file_store_options, disk);
    spoil_beyond(&options, 0, sizeof options);
    memset(&options, 0, size);
    options.size = size;
    options.directory = directory;
    assert_int_equal(verso_store_file_open(&options, &store, &error), VERSO_STATUS_OK);
    assert_false(store.durable);
    verso_store_close(&store);
    options = (verso_file_store_options){.directory = directory};
    expect_refusal(verso_store_file_open(&options, &store, &error), &error, "VERSO_FILE_STORE_OPTIONS_INIT");
    assert_null(store.operations);
    folder_remove(directory);
}

/* ---- Chains of reversible steps ---- */

static int double_it(void *context, uint64_t i, void *next, const void *from) {
    (void)context, (void)i;
    *(uint64_t *)next = 2 * *(const uint64_t *)from;
    return 0;
}

static int undouble(void *context, uint64_t i, void *next, const void *from) {
    (void)context, (void)i;
    *(uint64_t *)next -= 2 * *(const uint64_t *)from;
    return 0;
}

static int bars(void *context, uint64_t i, void *next, void *next_bar, const void *from, void *bar) {
    *(uint64_t *)bar += 2 * *(const uint64_t *)next_bar;
    return undouble(context, i, next, from);
}

static int start(void *context, const void *last, void *last_bar) {
    (void)context, (void)last;
    *(uint64_t *)last_bar = 1;
    return 0;
}

static verso_reversible chain_of_doubling(void) {
    return (verso_reversible){
        .size = 0, .steps = 8, .state_size = 8, .bar_size = 8, .step = double_it, .unstep = undouble, .adjoint = bars};
}

static void chains_refuse_size_0(void **state) {
    (void)state;
    static const char macro[] = "VERSO_REVERSIBLE_INIT";
    verso_reversible chain = chain_of_doubling();
    verso_run_options options;
    verso_error error;
    uint64_t first = 1, last = 0, first_bar = 0, last_bar = 1;
    verso_run_options_init(&options);
    expect_refusal(verso_bennett(&chain, 2, &first, &last, NULL, &error), &error, macro);
    expect_refusal(verso_bennett_undo(&chain, 2, &first, &last, NULL, &error), &error, macro);
    expect_refusal(verso_bennett_adjoint(&chain, 2, &first, &first_bar, &last, &last_bar, NULL, &error), &error, macro);
    expect_refusal(verso_reversible_run(&chain, &options, &first, &first_bar, start, NULL, &error), &error, macro);
}

static void chains_may_be_shorter(void **state) {
    (void)state;
    verso_reversible chain = chain_of_doubling();
    verso_run_options options;
    uint64_t first = 1, last = 0, first_bar = 0, last_bar = 1;
    chain.size = offsetof(verso_reversible, gradient);
    spoil_beyond(&chain, chain.size, sizeof chain);
    assert_int_equal(verso_bennett(&chain, 2, &first, &last, NULL, NULL), VERSO_STATUS_OK);
    assert_int_equal(last, 256);
    assert_int_equal(verso_bennett_adjoint(&chain, 2, &first, &first_bar, &last, &last_bar, NULL, NULL),
                     VERSO_STATUS_OK);
    assert_int_equal(last, 0);
    assert_int_equal(first_bar, 256);
    verso_run_options_init(&options);
    options.spec.slots = 2;
    assert_int_equal(verso_reversible_run(&chain, &options, &first, &first_bar, start, NULL, NULL), VERSO_STATUS_OK);
    assert_int_equal(first_bar, 256);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_with_shorter_options_and_report_works),
        cmocka_unit_test(a_run_refuses_size_0),
        cmocka_unit_test(a_run_refuses_an_option_that_it_does_not_know),
        cmocka_unit_test(a_loop_refuses_sizes_that_no_version_has),
        cmocka_unit_test(a_file_store_with_shorter_options_works),
        cmocka_unit_test(chains_refuse_size_0),
        cmocka_unit_test(chains_may_be_shorter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
