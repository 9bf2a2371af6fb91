/* Tests what a durable run of a compiled program stores beside its journal: with every system call failing once, or
 * being the last one before the process or the machine dies, while a run begins, continues, is suspended or begins
 * anew; with every byte of its files changed, and cut at every length. Calls to the outside world are made once. The
 * program is the chain of tests/support/native_program.h; processes are calls in this one.
 * tests/native/native_durable.sh uses real processes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "native/memory/inside.h"
#include "tests/support/faulty_system.h"
#include "tests/support/folder.h"
#include "tests/support/native_program.h"

static verso_error error; /* of the last call that failed */

enum { SIZE = 5, LEAF = 1 };

static double x[SIZE] = {0.3, 0.7, -0.4, 1.5, 0.2};
static double expected[SIZE], sum_before, calls_before;

static int prepare(void **state) {
    (void)state;
    if (!native_possible())
        return 0;
    verso__native_space_now.fixed = true; /* within one process it is so */
    sum_before = chain_sum;
    calls_before = chain_calls;
    return verso_gradient(chain, x, SIZE, expected, NULL, NULL, NULL) == VERSO_STATUS_OK ? 0 : -1;
}

static void require_possible(void) {
    if (!native_possible())
        skip();
}

/* A process begins with the variables that every process begins with. */
static void be_born(void) {
    chain_sum = sum_before;
    chain_calls = calls_before;
}

static void set_options(verso_run_options *run, const char *directory) {
    verso_run_options_init(run);
    run->spec.kind = VERSO_KIND_ONLINE;
    run->spec.slots = 2;
    run->directory = directory;
    run->foreground = true;
}

static verso_status gradient_in(const verso_run_options *run, verso_native_report *report) {
    double gradient[SIZE] = {0};
    verso_native_options options = {.size = sizeof(verso_native_options), .run = run, .leaf = LEAF};
    be_born();
    verso_status status = verso_gradient(chain, x, SIZE, gradient, &options, report, &error);
    if (status == VERSO_STATUS_OK) {
        assert_memory_equal(gradient, expected, sizeof gradient);
        assert_true(chain_calls == calls_before + SIZE);
    } else
        assert_true(chain_sum == sum_before && chain_calls == calls_before);
    return status;
}

static void must_end(const char *directory, const char *text) {
    verso_run_options run;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    set_options(&run, directory);
    if (gradient_in(&run, &report) != VERSO_STATUS_OK)
        fail_msg("%s: it does not go on: %s", text, error.message);
}

static void suspend_in(const char *directory, uint64_t steps) {
    verso_run_options run;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    set_options(&run, directory);
    run.step_limit = steps;
    verso_status status = gradient_in(&run, &report);
    if (status != VERSO_STATUS_SUSPENDED)
        fail_msg("it was to be suspended: %s", error.message);
}

/* ---- Struck ---- */

typedef struct strike {
    const char *word;
    fault kind;
    int code;
    bool power; /* what was never synced is lost, too */
} strike;

static const strike strikes[] = {
    {"EIO", FAULT_ERROR, EIO, false},    {"full", FAULT_FROM, ENOSPC, false}, {"crash", FAULT_CRASH, 0, false},
    {"torn", FAULT_TEAR, 0, false},      {"short", FAULT_SHORT, 0, false},    {"power", FAULT_CRASH, 0, true},
    {"torn power", FAULT_TEAR, 0, true},
};

typedef struct scene {
    const char *word;
    uint64_t suspended_after; /* an earlier process was suspended after this many steps; 0: there was none */
    uint64_t step_limit;
    bool anew; /* gives the run up, for other sizes */
} scene;

/* Begins a run anew, as one does whose capsules are larger than its budget was divided for. */
static verso_status begin_anew(const verso_run_options *run, verso_error *error) {
    verso_array wrt = {x, SIZE, VERSO_SCALAR_DOUBLE, expected};
    verso__native_job job = {.f = chain, .x = x, .n = SIZE, .wrt = &wrt, .wrt_count = 1, .weight = 1};
    verso__native_durable durable;
    be_born();
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    verso_status status = verso__native_durable_open(run, &durable, error);
    durable.kept.capsule++;
    if (status == VERSO_STATUS_OK)
        status = verso__native_durable_keep(&durable, error);
    verso__native_durable_close(&durable);
    verso__native_leave();
    return status;
}

static bool strike_once(const scene *scene, const strike *how, uint64_t n, const char *directory, const char *aside) {
    char text[160];
    snprintf(text, sizeof text, "%s, %s at call %llu", scene->word, how->word, (unsigned long long)n);
    folder_empty(directory);
    chain_asked = 0;
    if (scene->suspended_after > 0)
        suspend_in(directory, scene->suspended_after);
    static faulty_system faulty; /* a thread counts in it: not on the stack, where a change would be the run's */
    faulty_system_init(&faulty, how->power ? aside : NULL);
    faulty_system_fail(&faulty, n, how->kind, how->code);
    verso_run_options run;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    set_options(&run, directory);
    verso__system_replace(&faulty.system);
    run.step_limit = scene->step_limit;
    verso_status status = scene->anew ? begin_anew(&run, &error) : gradient_in(&run, &report);
    if (status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED && strstr(error.message, directory) == NULL)
        fail_msg("%s: the message names no file: %s", text, error.message);
    if (faulty.open_files != 0)
        fail_msg("%s: files were left open", text);
    if (how->power)
        faulty_system_lose_unsynced(&faulty);
    bool struck = faulty.struck;
    faulty_system_free(&faulty);
    must_end(directory, text);
    if (chain_asked < SIZE || (chain_asked > SIZE + 1 && !how->power)) /* what was not synced is asked again */
        fail_msg("%s: the outside world was asked %llu times", text, (unsigned long long)chain_asked);
    return struck;
}

static void struck_at_every_call(void **state) {
    (void)state;
    static const scene scenes[] = {
        {.word = "beginning"},
        {.word = "suspending", .step_limit = 12},
        {.word = "going on", .suspended_after = 12},
        {.word = "beginning anew", .suspended_after = 12, .anew = true},
    };
    require_possible();
    char *directory = folder_new(), *aside = folder_new();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (size_t j = 0; j < sizeof strikes / sizeof *strikes; j++) {
            uint64_t n = 1;
            while (strike_once(&scenes[i], &strikes[j], n, directory, aside))
                n++;
            assert_true(n > 15);
        }
    folder_remove(directory);
    folder_remove(aside);
}

/* ---- Damaged ---- */

/* Checks that a run is refused, and its directory unchanged. */
static void must_be_refused(const char *directory, const unsigned char *bytes, size_t size) {
    verso_run_options run;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    size_t found;
    set_options(&run, directory);
    folder_write(directory, "native", bytes, size);
    assert_int_equal(gradient_in(&run, &report), VERSO_STATUS_CORRUPT);
    assert_non_null(strstr(error.message, "native"));
    unsigned char *now = folder_read(directory, "native", &found);
    assert_true(found == size && memcmp(now, bytes, size) == 0);
    free(now);
}

static void damage_is_never_trusted(void **state) {
    (void)state;
    require_possible();
    char *directory = folder_new();
    size_t size;
    suspend_in(directory, 12);
    unsigned char *bytes = folder_read(directory, "native", &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1u << i % 8);
        must_be_refused(directory, bytes, size);
        bytes[i] ^= (unsigned char)(1u << i % 8);
        must_be_refused(directory, bytes, i);
    }
    folder_write(directory, "native", bytes, size);
    must_end(directory, "mended");
    free(bytes);
    folder_remove(directory);
}

/* The answers that the run got are right, or it is refused; a call after the last capsule may be made again. */
static void the_log_is_never_trusted_either(void **state) {
    (void)state;
    require_possible();
    char *kept = folder_new(), *directory = folder_new();
    size_t size, refusals = 0;
    suspend_in(kept, 12);
    unsigned char *bytes = folder_read(kept, "world", &size);
    assert_true(size > 100);
    for (size_t i = 0; i < 2 * size; i++) {
        verso_run_options run;
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        set_options(&run, directory);
        folder_empty(directory);
        folder_copy(kept, directory);
        bytes[i / 2] ^= (unsigned char)(1u << i % 8);
        folder_write(directory, "world", bytes, i % 2 == 0 ? size : i / 2);
        bytes[i / 2] ^= (unsigned char)(1u << i % 8);
        verso_status status = gradient_in(&run, &report);
        if (status != VERSO_STATUS_OK && strstr(error.message, "world") == NULL)
            fail_msg("byte %zu of the log: %s", i / 2, error.message);
        refusals += status != VERSO_STATUS_OK;
    }
    assert_true(refusals > size);
    free(bytes);
    folder_remove(directory);
    folder_remove(kept);
}

static void a_group_is_refused(void **state) {
    (void)state;
    require_possible();
    char *directory = folder_new();
    verso_run_options run;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_group group = {0};
    set_options(&run, directory);
    run.group = &group;
    assert_int_equal(gradient_in(&run, &report), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "group"));
    folder_remove(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(struck_at_every_call),
        cmocka_unit_test(damage_is_never_trusted),
        cmocka_unit_test(the_log_is_never_trusted_either),
        cmocka_unit_test(a_group_is_refused),
    };
    return cmocka_run_group_tests_name("native, durable", tests, prepare, NULL);
}
