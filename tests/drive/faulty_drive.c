/* Tests runs with every allocation failing once: each ends with success or NO_MEMORY and leaks nothing, and a durable
 * run that is started again ends with the same bits. Runs are in the foreground, so that allocations come in a fixed
 * order. */
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"

enum { STEPS = 11 };

/* Returns true if the run ended although an allocation was to fail. */
static bool fail_once(const trial_case *what, const char *directory, bool automatic, uint64_t n) {
    char text[128];
    snprintf(text, sizeof text, "%s, allocation %llu", what->word, (unsigned long long)n);
    uint64_t live = verso__alloc_live();
    trial one;
    trial_open(&one, what, STEPS, directory);
    one.options.automatic = automatic;
    if (automatic)
        one.options.memory = 400;
    verso__alloc_fail_at(n);
    trial_run(&one);
    verso__alloc_fail_at(0);
    if (one.status != VERSO_STATUS_OK && one.status != VERSO_STATUS_NO_MEMORY)
        fail_msg("%s: %s: %s", text, verso_status_name(one.status), one.error.message);
    if (one.error.status != one.status)
        fail_msg("%s: %s, but the error says %s: %s", text, verso_status_name(one.status),
                 verso_status_name(one.error.status), one.error.message);
    trial_close(&one);
    if (verso__alloc_live() != live)
        fail_msg("%s: %lld blocks were left", text, (long long)(verso__alloc_live() - live));
    return one.status == VERSO_STATUS_OK;
}

static void fail_everywhere(const trial_case *what, bool durable, bool automatic) {
    char *directory = folder_new();
    toy_result expected = toy_reference(STEPS);
    bool ended = false;
    for (uint64_t n = 1; !ended; n++) {
        ended = fail_once(what, durable ? directory : NULL, automatic, n);
        if (durable)
            trial_must_end(what, STEPS, directory, &expected, "after a failed allocation");
        folder_empty(directory);
        assert_true(n < 5000);
    }
    folder_remove(directory);
}

static void durable_runs(void **state) {
    (void)state;
    for (size_t i = 0; i < TRIAL_CASES; i++)
        fail_everywhere(&trial_cases[i], true, false);
}

static void chosen_schedules(void **state) {
    (void)state;
    for (size_t i = 0; i < TRIAL_CASES; i++)
        fail_everywhere(&trial_cases[i], true, true);
}

static void runs_in_memory(void **state) {
    (void)state;
    fail_everywhere(&trial_cases[3], false, false);
}

/* Makes each allocation of a restart fail in turn. */
static void restarts(void **state) {
    (void)state;
    char *master = folder_new(), *directory = folder_new();
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        trial one;
        folder_empty(master);
        trial_open(&one, &trial_cases[i], STEPS, master);
        one.options.step_limit = STEPS + 5;
        assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
        trial_close(&one);
        bool ended = false;
        for (uint64_t n = 1; !ended; n++) {
            folder_empty(directory);
            folder_copy(master, directory);
            ended = fail_once(&trial_cases[i], directory, false, n);
            trial_must_end(&trial_cases[i], STEPS, directory, &expected, "after a failed restart");
        }
    }
    folder_remove(master);
    folder_remove(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durable_runs),
        cmocka_unit_test(chosen_schedules),
        cmocka_unit_test(runs_in_memory),
        cmocka_unit_test(restarts),
    };
    return cmocka_run_group_tests_name("runs without memory", tests, NULL, NULL);
}
