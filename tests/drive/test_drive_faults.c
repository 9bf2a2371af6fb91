/* Tests durable runs with every system call failing once: with an error, short, interrupted, or as the last one
 * before the process or the machine dies. The same program, run again in the same directory, ends with the same bits.
 * Runs are in the foreground, so that the n-th call is always the same one. */
#include "tests/support/faulty_system.h"
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 11 };

typedef struct strike {
    const char *word;
    fault kind;
    int code;
    bool survived; /* the run must succeed despite the fault */
    bool power;    /* what was never synced is lost, too */
} strike;

static const strike strikes[] = {
    {"ENOSPC", FAULT_ERROR, ENOSPC, false, false}, {"EIO", FAULT_ERROR, EIO, false, false},
    {"EINTR", FAULT_ERROR, EINTR, true, false},    {"short", FAULT_SHORT, 0, true, false},
    {"full", FAULT_FROM, ENOSPC, false, false},    {"crash", FAULT_CRASH, 0, false, false},
    {"tear", FAULT_TEAR, 0, false, false},         {"power", FAULT_CRASH, 0, false, true},
    {"torn power", FAULT_TEAR, 0, false, true},
};

enum { STRIKES = sizeof strikes / sizeof *strikes };

typedef struct scene {
    const trial_case *what;
    const strike *how;
    char *directory, *aside;
    toy_result expected;
    uint64_t step_limit; /* of the run that is struck; 0: it would end */
    bool prepared;       /* the run with the fault continues from the directory of a dead process */
} scene;

/* Messages about files name one. */
static void check_message(const trial *one, const scene *now, const char *text) {
    if (one->status != VERSO_STATUS_IO && one->status != VERSO_STATUS_CORRUPT)
        fail_msg("%s: %s: %s", text, verso_status_name(one->status), one->error.message);
    if (strstr(one->error.message, now->directory) == NULL)
        fail_msg("%s: the message names no file: %s", text, one->error.message);
    if (one->error.status != one->status)
        fail_msg("%s: the error has another status", text);
}

/* Makes a directory in the middle of a run, as a process leaves it that dies at a system call. */
static void prepare(const scene *now) {
    faulty_system faulty;
    trial one;
    for (uint64_t calls = 0, pass = 0; pass < 2; pass++) {
        folder_empty(now->directory);
        faulty_system_init(&faulty, NULL);
        faulty_system_fail(&faulty, pass == 0 ? 0 : 2 * calls / 3, FAULT_CRASH, 0);
        trial_open(&one, now->what, STEPS, now->directory);
        one.system = &faulty.system;
        trial_run(&one);
        calls = faulty.calls;
        trial_close(&one);
        faulty_system_free(&faulty);
    }
}

/* Returns false if there was no n-th call. */
static bool strike_once(const scene *now, uint64_t n) {
    char text[160];
    snprintf(text, sizeof text, "%s, %s at call %llu%s%s", now->what->word, now->how->word, (unsigned long long)n,
             now->prepared ? ", restarting" : "", now->step_limit > 0 ? ", suspending" : "");
    folder_empty(now->directory);
    if (now->prepared)
        prepare(now);
    size_t descriptors = trial_descriptors();
    faulty_system faulty;
    faulty_system_init(&faulty, now->how->power ? now->aside : NULL);
    faulty_system_fail(&faulty, n, now->how->kind, now->how->code);
    trial one;
    trial_open(&one, now->what, STEPS, now->directory);
    one.system = &faulty.system;
    one.options.step_limit = now->step_limit;
    verso_status status = trial_run(&one);
    bool struck = faulty.struck;
    if (status == VERSO_STATUS_OK && !toy_equal(&one.result, &now->expected))
        fail_msg("%s: another gradient", text);
    if (status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED)
        check_message(&one, now, text);
    if (now->how->survived && status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED)
        fail_msg("%s: not survived: %s", text, one.error.message);
    if (faulty.open_files != 0 || trial_descriptors() != descriptors)
        fail_msg("%s: files were left open", text);
    trial_close(&one);
    if (now->how->power)
        faulty_system_lose_unsynced(&faulty);
    faulty_system_free(&faulty);
    trial_must_end(now->what, STEPS, now->directory, &now->expected, text);
    return struck;
}

static void strike_everywhere(scene *now) {
    now->directory = folder_new();
    now->aside = folder_new();
    now->expected = toy_reference(STEPS);
    for (size_t kind = 0; kind < TRIAL_CASES; kind++) {
        for (size_t how = 0; how < STRIKES; how++) {
            now->what = &trial_cases[kind];
            now->how = &strikes[how];
            uint64_t n = 1;
            while (strike_once(now, n))
                n++;
            assert_true(n > 20);
        }
    }
    folder_remove(now->directory);
    folder_remove(now->aside);
}

static void a_whole_run(void **state) {
    (void)state;
    strike_everywhere(&(scene){0});
}

static void a_suspension(void **state) {
    (void)state;
    strike_everywhere(&(scene){.step_limit = STEPS + 4});
}

static void a_restart(void **state) {
    (void)state;
    strike_everywhere(&(scene){.prepared = true, .step_limit = 3});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_run),
        cmocka_unit_test(a_suspension),
        cmocka_unit_test(a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
