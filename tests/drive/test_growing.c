/* Tests programs whose states grow: x_s is s + 1 times as large as x_0. Budgets of memory and disk use the maximum
 * that the program states; a state that exceeds it is refused with a remedy; without a budget any size is accepted.
 */
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 25, START = TOY_SIZE * sizeof(double), MOST = (STEPS + 1) * START };

/* ---- The toy, with a tail ---- */

typedef struct growing {
    trial one; /* whose program is the one below */
    verso_program toy;
    uint64_t step; /* of the working state */
} growing;

static verso_status advance(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error) {
    growing *model = self;
    verso_status status = model->toy.operations->advance(model->toy.self, from, to, reached, error);
    model->step = *reached;
    return status;
}

static verso_status reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    growing *model = self;
    return model->toy.operations->reverse(model->toy.self, from, to, last, error);
}

static size_t tail(const growing *model, verso_capsule_kind kind) {
    return kind == VERSO_CAPSULE_STATE ? model->step * START : 0;
}

static size_t capsule_size(void *self, verso_capsule_kind kind) {
    growing *model = self;
    return model->toy.operations->capsule_size(model->toy.self, kind) + tail(model, kind);
}

static verso_status capture(void *self, verso_capsule_kind kind, void *bytes, size_t size, verso_error *error) {
    growing *model = self;
    size_t more = tail(model, kind);
    memset((unsigned char *)bytes + size - more, (int)model->step, more);
    return model->toy.operations->capture(model->toy.self, kind, bytes, size - more, error);
}

static verso_status resume(void *self, verso_capsule_kind kind, const void *bytes, size_t size, verso_error *error) {
    growing *model = self;
    if (kind == VERSO_CAPSULE_STATE)
        model->step = size / START - 1;
    for (size_t i = size - tail(model, kind); i < size; i++)
        assert_int_equal(((const unsigned char *)bytes)[i], model->step);
    return model->toy.operations->resume(model->toy.self, kind, bytes, size - tail(model, kind), error);
}

static size_t recording_size(void *self, uint64_t steps) {
    growing *model = self;
    return model->toy.operations->recording_size(model->toy.self, steps);
}

static const verso_program_operations operations = {advance, reverse, capsule_size, capture, resume, recording_size};

/* Prepares a run. `slots` 0: as many as the budget holds. */
static void begin(growing *model, verso_schedule_kind kind, uint64_t slots, const char *directory) {
    trial_open(&model->one, &(trial_case){.kind = kind, .slots = slots > 0 ? slots : 3}, STEPS, directory);
    model->one.options.spec.slots = slots;
    model->toy = model->one.model.program;
    model->step = 0;
    model->one.model.program.operations = &operations;
    model->one.model.program.self = model;
}

static void must_end(growing *model, const toy_result *expected) {
    if (trial_run(&model->one) != VERSO_STATUS_OK)
        fail_msg("%s: %s", verso_kind_word(model->one.options.spec.kind), model->one.error.message);
    assert_true(toy_equal(&model->one.result, expected));
    trial_close(&model->one);
}

/* ---- Tests ---- */

static void without_a_budget(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    const verso_schedule_kind kinds[] = {VERSO_KIND_REVOLVE, VERSO_KIND_DISK, VERSO_KIND_RESILIENT, VERSO_KIND_MIXED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *directory = folder_new();
        growing model;
        verso_status status = VERSO_STATUS_SUSPENDED;
        while (status == VERSO_STATUS_SUSPENDED) {
            begin(&model, kinds[i], 4, directory);
            model.one.options.step_limit = 20;
            status = trial_run(&model.one);
            trial_close(&model.one);
        }
        assert_int_equal(status, VERSO_STATUS_OK);
        assert_true(toy_equal(&model.one.result, &expected));
        assert_true(model.one.report.recovered_steps == 0);
        folder_remove(directory);
    }
}

/* The budget is divided for states as large as x_0. The run stops when one is larger, and continues when the program
 * states their greatest size. */
static void what_outgrows_the_budget_is_named(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (int files = 0; files < 2; files++) {
        char *directory = files ? folder_new() : NULL;
        growing model;
        unsigned long long step = 0, size = 0, most = 0;
        begin(&model, VERSO_KIND_REVOLVE, 4, directory);
        model.one.options.memory = 100 * MOST;
        assert_int_equal(trial_run(&model.one), VERSO_STATUS_USER);
        const char *form = "x_%llu has %llu bytes, but the memory budget was divided for states of at most %llu bytes;";
        assert_int_equal(sscanf(model.one.error.message, form, &step, &size, &most), 3);
        assert_true(step > 0 && step < STEPS && size == (step + 1) * START && most == START);
        assert_non_null(strstr(model.one.error.message, "capsule_most"));
        trial_close(&model.one);
        begin(&model, VERSO_KIND_REVOLVE, 4, directory);
        model.one.options.memory = 100 * MOST;
        model.one.model.program.capsule_most = MOST;
        must_end(&model, &expected);
        if (files)
            folder_remove(directory);
    }
}

/* The largest state that is stored is x_{STEPS-1}, and a program may state its size. */
static void budgets_count_with_the_most(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    const verso_schedule_kind kinds[] = {VERSO_KIND_REVOLVE, VERSO_KIND_DISK};
    for (uint64_t memory = START; memory < 30 * MOST; memory += 17 * START)
        for (int way = 0; way < 3; way++) {
            char *directory = way > 0 ? folder_new() : NULL;
            growing model;
            begin(&model, kinds[way > 1], 0, directory);
            model.one.options.memory = memory;
            model.one.model.program.capsule_most = MOST - START;
            verso_status status = trial_run(&model.one);
            const verso_run_report *report = &model.one.report;
            if (status != VERSO_STATUS_OK && status != VERSO_STATUS_IMPOSSIBLE)
                fail_msg("%llu bytes: %s", (unsigned long long)memory, model.one.error.message);
            assert_true(report->memory_peak <= memory);
            if (status == VERSO_STATUS_OK) {
                assert_true(toy_equal(&model.one.result, &expected));
                assert_int_equal(report->capsule_size, MOST - START);
                assert_true(report->spec.slots * (MOST - START) <= memory);
            } else
                assert_true(memory < 4 * MOST);
            trial_close(&model.one);
            if (way > 0)
                folder_remove(directory);
        }
}

/* The automatic choice times some steps, and the program must be at x_0 again afterwards. */
static void automatic(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (uint64_t slots = 4; slots < 40; slots += 7)
        for (int files = 0; files < 2; files++) {
            char *directory = files ? folder_new() : NULL;
            growing model;
            begin(&model, VERSO_KIND_REVOLVE, 0, directory);
            model.one.options.automatic = true;
            model.one.options.memory = slots * MOST;
            model.one.model.program.capsule_most = MOST;
            must_end(&model, &expected);
            assert_true(model.one.report.memory_peak <= slots * MOST);
            if (files)
                folder_remove(directory);
        }
}

static void the_least_disk(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    char *directory = folder_new();
    unsigned long long least;
    growing model;
    begin(&model, VERSO_KIND_RESILIENT, 5, directory);
    model.one.model.program.capsule_most = MOST;
    model.one.options.disk = 1;
    assert_int_equal(trial_run(&model.one), VERSO_STATUS_IMPOSSIBLE);
    assert_int_equal(sscanf(strrchr(model.one.error.message, ';'), "; at least %llu bytes", &least), 1);
    trial_close(&model.one);
    begin(&model, VERSO_KIND_RESILIENT, 5, directory);
    model.one.model.program.capsule_most = MOST;
    model.one.options.disk = least;
    must_end(&model, &expected);
    assert_true(model.one.report.durable.bytes_peak <= least);
    folder_remove(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_budget),
        cmocka_unit_test(what_outgrows_the_budget_is_named),
        cmocka_unit_test(budgets_count_with_the_most),
        cmocka_unit_test(automatic),
        cmocka_unit_test(the_least_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
