/* Tests what verso_run refuses: unsuitable directories, contradictory options, budgets that are too small. Each
 * refusal has the right status, names the cause and the remedy, and changes nothing. */
#include "base/checksum.h"
#include "tests/support/faulty_system.h"
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 12 };
static const trial_case *const disk = &trial_cases[0];

static void must_refuse(trial *one, verso_status status, const char *word) {
    trial_run(one);
    if (one->status != status)
        fail_msg("%s: %s instead of %s: %s", word, verso_status_name(one->status), verso_status_name(status),
                 one->error.message);
    assert_int_equal(one->error.status, status);
    if (strstr(one->error.message, word) == NULL)
        fail_msg("'%s' is not in: %s", word, one->error.message);
    trial_close(one);
}

static void suspend_in(const char *directory) {
    trial one;
    trial_open(&one, disk, STEPS, directory);
    one.options.step_limit = STEPS + 3;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    trial_close(&one);
}

/* ---- Directories ---- */

static void change_inputs(trial *one) {
    one->model.parameter = 0.71;
    assert_int_equal(verso_loop_program(&one->model.loop, &one->model.program, NULL), VERSO_STATUS_OK);
}

static void change_name(trial *one) {
    one->model.loop.name = "another toy";
    assert_int_equal(verso_loop_program(&one->model.loop, &one->model.program, NULL), VERSO_STATUS_OK);
}

static void change_start(trial *one) {
    one->model.state[0] += 1;
}

/* Changes the number of steps: the identity of a loop includes it, that of a user's own program may not. */
static void change_steps(trial *one) {
    one->model.program.steps++;
    one->options.spec.steps++;
}

static void forget_steps(trial *one) {
    one->model.program.steps = VERSO_UNKNOWN;
    one->options.spec = toy_spec(VERSO_KIND_ONLINE, 0, 3);
}

static void change_adjoint(trial *one) {
    one->model.loop.adjoint_state[1].size /= 2;
}

static void want_scratch(trial *one) {
    one->options.scratch = true;
}

static void take_memory(trial *one) {
    one->options.memory = 1;
}

static void take_disk(trial *one) {
    one->options.disk = 1;
}

static const struct {
    void (*change)(trial *one);
    verso_status status;
    const char *word;
} changes[] = {
    {change_inputs, VERSO_STATUS_INVALID, "other inputs"},
    {change_name, VERSO_STATUS_INVALID, "another program"},
    {change_start, VERSO_STATUS_INVALID, "another state"},
    {change_steps, VERSO_STATUS_INVALID, "has 12 steps, this program 13"},
    {forget_steps, VERSO_STATUS_INVALID, "has 12 steps, this program an unknown number"},
    {change_adjoint, VERSO_STATUS_INVALID, "adjoints of"},
    {want_scratch, VERSO_STATUS_INVALID, "scratch"},
    {take_memory, VERSO_STATUS_IMPOSSIBLE, "the memory budget of 1 bytes is too small"},
    {take_disk, VERSO_STATUS_IMPOSSIBLE, "the disk budget of 1 bytes is too small"},
};

typedef enum scene { SUSPENDED, TORN, DONE, SCENES } scene;

static void prepare(scene which, const char *directory, const toy_result *expected) {
    size_t size;
    suspend_in(directory);
    if (which == DONE)
        trial_must_end(disk, STEPS, directory, expected, "to the end");
    if (which == TORN) {
        unsigned char *bytes = folder_read(directory, "journal", &size);
        folder_write(directory, "journal", bytes, size - 5);
        free(bytes);
    }
}

/* A refused run changes nothing; it does not even cut off the torn tail of a journal. */
static void other_runs(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (int which = 0; which < SCENES; which++) {
        char *directory = folder_new(), *before = folder_new();
        prepare((scene)which, directory, &expected);
        folder_copy(directory, before);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            if (which == DONE && changes[i].status == VERSO_STATUS_IMPOSSIBLE)
                continue; /* nothing will be stored any more */
            trial one;
            trial_open(&one, disk, STEPS, directory);
            changes[i].change(&one);
            must_refuse(&one, changes[i].status, changes[i].word);
            assert_int_equal(one.model.advanced + one.model.reversed, 0);
            assert_null(strstr(one.notices, "is continued"));
            if (!folder_same(before, directory, "lock")) /* its note names the last process that opened it */
                fail_msg("%s: refused, but files were changed", changes[i].word);
        }
        trial_must_end(disk, STEPS, directory, &expected, "after the refusals");
        folder_remove(directory);
        folder_remove(before);
    }
}

static void another_number_of_steps(void **state) {
    (void)state;
    char *directory = folder_new();
    trial one;
    suspend_in(directory);
    trial_open(&one, disk, STEPS + 1, directory);
    must_refuse(&one, VERSO_STATUS_INVALID, "another program");
    folder_remove(directory);
}

static void newer_formats(void **state) {
    (void)state;
    char *directory = folder_new(), *path = folder_path(directory, "journal");
    toy_result expected = toy_reference(STEPS);
    suspend_in(directory);
    size_t size;
    unsigned char *bytes = file_read(path, &size);
    uint64_t old = bytes[8], sum = 0;
    bytes[8]++;
    sum = verso__checksum(bytes, 16);
    for (int i = 0; i < 8; i++)
        bytes[16 + i] = (unsigned char)(sum >> (8 * i));
    file_write(path, bytes, size);
    trial one;
    trial_open(&one, disk, STEPS, directory);
    must_refuse(&one, VERSO_STATUS_CORRUPT, "newer Verso");
    bytes[8] = (unsigned char)old;
    sum = verso__checksum(bytes, 16);
    for (int i = 0; i < 8; i++)
        bytes[16 + i] = (unsigned char)(sum >> (8 * i));
    file_write(path, bytes, size);
    free(bytes);
    char **files = folder_files(directory);
    for (size_t i = 0; files[i] != NULL; i++) /* capsules: each can be computed again */
        if (strstr(files[i], "/state-") != NULL) {
            bytes = file_read(files[i], &size);
            bytes[8] = 2;
            file_write(files[i], bytes, size);
            free(bytes);
        }
    folder_files_free(files);
    trial_open(&one, disk, STEPS, directory);
    assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
    assert_true(toy_equal(&one.result, &expected));
    assert_non_null(strstr(one.notices, "newer"));
    trial_close(&one);
    free(path);
    folder_remove(directory);
}

static void places_that_are_no_directories(void **state) {
    (void)state;
    char *directory = folder_new();
    folder_write(directory, "file", "x", 1);
    char *file = folder_path(directory, "file"), *nowhere = folder_path(directory, "not/there");
    trial one;
    trial_open(&one, disk, STEPS, file);
    must_refuse(&one, VERSO_STATUS_IO, "not a directory");
    trial_open(&one, disk, STEPS, nowhere);
    must_refuse(&one, VERSO_STATUS_IO, "make the directory above it");
    trial_open(&one, disk, STEPS, "");
    must_refuse(&one, VERSO_STATUS_INVALID, "empty string");
    trial_open(&one, disk, STEPS, file);
    one.options.scratch = true;
    must_refuse(&one, VERSO_STATUS_IO, "not a directory");
    free(file);
    free(nowhere);
    folder_remove(directory);
}

/* With simulated system calls, because root may write everywhere. */
static void a_directory_that_may_not_be_written(void **state) {
    (void)state;
    char *directory = folder_new();
    faulty_system faulty;
    faulty_system_init(&faulty, NULL);
    faulty_system_fail(&faulty, 2, FAULT_FROM, EACCES);
    trial one;
    trial_open(&one, disk, STEPS, directory);
    one.system = &faulty.system;
    must_refuse(&one, VERSO_STATUS_IO, "give write permission or another directory");
    faulty_system_fail(&faulty, 20, FAULT_FROM, ENOSPC);
    trial_open(&one, disk, STEPS, directory);
    one.system = &faulty.system;
    must_refuse(&one, VERSO_STATUS_IO, "make room and run again");
    faulty_system_free(&faulty);
    toy_result expected = toy_reference(STEPS);
    trial_must_end(disk, STEPS, directory, &expected, "after a full disk");
    folder_remove(directory);
}

static void a_small_disk(void **state) {
    (void)state;
    char *directory = folder_new();
    trial one;
    trial_open(&one, &trial_cases[1], STEPS, directory);
    one.options.disk = 300;
    must_refuse(&one, VERSO_STATUS_IMPOSSIBLE, "the disk budget of 300 bytes is too small");
    toy_result expected = toy_reference(STEPS);
    trial_must_end(&trial_cases[1], STEPS, directory, &expected, "with a larger disk");
    folder_remove(directory);
}

/* The limit that the message names suffices, also if the run is suspended again and again. */
static void the_least_disk(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < 2; i++) { /* disk, resilient: their number of files is known */
        char *directory = folder_new();
        unsigned long long least;
        trial one;
        trial_open(&one, &trial_cases[i], STEPS, directory);
        one.options.disk = 1;
        assert_int_equal(trial_run(&one), VERSO_STATUS_IMPOSSIBLE);
        assert_int_equal(sscanf(strrchr(one.error.message, ';'), "; at least %llu bytes", &least), 1);
        trial_close(&one);
        folder_empty(directory);
        verso_status status = VERSO_STATUS_SUSPENDED;
        for (uint64_t limit = 3; status == VERSO_STATUS_SUSPENDED; limit = limit * 3 / 2) {
            trial_open(&one, &trial_cases[i], STEPS, directory);
            one.options.disk = least;
            one.options.step_limit = limit;
            status = trial_run(&one);
            if (status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED)
                fail_msg("%s", one.error.message);
            if (status == VERSO_STATUS_OK)
                assert_true(toy_equal(&one.result, &expected));
            trial_close(&one);
        }
        folder_remove(directory);
    }
}

/* ---- Options ---- */

static void limits(void **state) {
    (void)state;
    const double bad[] = {-1, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        trial one;
        trial_open(&one, &trial_cases[3], STEPS, NULL);
        one.options.time_limit = bad[i];
        must_refuse(&one, VERSO_STATUS_INVALID, "time_limit");
        trial_open(&one, &trial_cases[3], STEPS, NULL);
        one.options.interval = bad[i];
        must_refuse(&one, VERSO_STATUS_INVALID, "interval");
    }
}

static void schedules(void **state) {
    (void)state;
    trial one;
    trial_open(&one, &trial_cases[3], STEPS, NULL); /* no slots, and no memory that would give them */
    one.options.spec.slots = 0;
    must_refuse(&one, VERSO_STATUS_INVALID, "memory budget");
    trial_open(&one, &trial_cases[3], STEPS, NULL);
    one.options.spec.steps = STEPS + 1;
    must_refuse(&one, VERSO_STATUS_INVALID, "the program has 12");
    trial_open(&one, &trial_cases[2], STEPS, NULL); /* online with files, and no directory */
    must_refuse(&one, VERSO_STATUS_INVALID, "name a directory");
    trial_open(&one, &trial_cases[2], STEPS, NULL); /* unknown steps, and a kind that must know them */
    one.options.spec = toy_spec(VERSO_KIND_REVOLVE, 0, 3);
    must_refuse(&one, VERSO_STATUS_INVALID, "use online");
    trial_open(&one, &trial_cases[2], STEPS, NULL); /* unknown steps, and a schedule that claims to know them */
    one.options.spec.steps = STEPS;
    must_refuse(&one, VERSO_STATUS_INVALID, "does not know its number of steps in advance");
    trial_open(&one, &trial_cases[3], STEPS, NULL);
    one.options.scratch = true;
    must_refuse(&one, VERSO_STATUS_INVALID, "scratch");
    const verso_group lonely = {0};
    trial_open(&one, &trial_cases[3], STEPS, NULL);
    one.options.group = &lonely;
    must_refuse(&one, VERSO_STATUS_INVALID, "least");
}

static void programs(void **state) {
    (void)state;
    verso_program_operations operations;
    trial one;
    for (int missing = 0; missing < 5; missing++) {
        trial_open(&one, &trial_cases[3], STEPS, NULL);
        operations = *one.model.program.operations;
        if (missing == 0)
            operations.advance = NULL;
        if (missing == 1)
            operations.reverse = NULL;
        if (missing == 2)
            operations.capsule_size = NULL;
        if (missing == 3)
            operations.capture = NULL;
        if (missing == 4)
            operations.resume = NULL;
        one.model.program.operations = &operations;
        must_refuse(&one, VERSO_STATUS_INVALID, "lacks an operation");
    }
    trial_open(&one, &trial_cases[3], STEPS, NULL);
    one.model.program.operations = NULL;
    must_refuse(&one, VERSO_STATUS_INVALID, "lacks an operation");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_runs),
        cmocka_unit_test(another_number_of_steps),
        cmocka_unit_test(newer_formats),
        cmocka_unit_test(places_that_are_no_directories),
        cmocka_unit_test(a_directory_that_may_not_be_written),
        cmocka_unit_test(a_small_disk),
        cmocka_unit_test(the_least_disk),
        cmocka_unit_test(limits),
        cmocka_unit_test(schedules),
        cmocka_unit_test(programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
