/* Where the disk has a limit: a run that is suspended writes the states in memory as far as there is room for them, and
 * computes again what does not fit; what processes that were killed have left makes room in the same way. The limit is
 * kept, and is enough, however often that happens. */
#include "drive/journal.h"
#include "tests/support/faulty_system.h"
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 60, SLOTS = 6 };

static const trial_case cases[] = {
    {.word = "revolve", .kind = VERSO_KIND_REVOLVE, .slots = SLOTS},
    {.word = "disk", .kind = VERSO_KIND_DISK, .slots = SLOTS},
    {.word = "disk turned round", .kind = VERSO_KIND_DISK, .slots = SLOTS, .first_tier = VERSO_PLACE_FILES},
    {.word = "two-level", .kind = VERSO_KIND_TWO_LEVEL, .slots = SLOTS},
    {.word = "online", .kind = VERSO_KIND_ONLINE, .slots = SLOTS, .unknown = true},
};

enum { CASES = sizeof cases / sizeof *cases };

static void begin(trial *one, const trial_case *what, const char *directory, uint64_t disk) {
    trial_open(one, what, STEPS, directory);
    one->options.disk = disk;
    if (what->first_tier == VERSO_PLACE_FILES) /* the few that come and go are in files, the many that stay are not */
        one->options.places[1] = VERSO_PLACE_MEMORY;
}

/* Bytes of capsules that lie there. */
static uint64_t bytes_in(const char *directory) {
    char **files = folder_files(directory);
    uint64_t bytes = 0;
    for (size_t i = 0; files[i] != NULL; i++)
        if (strstr(files[i], "/capsules/") != NULL) {
            size_t size;
            free(file_read(files[i], &size));
            bytes += size;
        }
    folder_files_free(files);
    return bytes;
}

static uint64_t least_disk(const trial_case *what) {
    char *directory = folder_new();
    unsigned long long least;
    trial one;
    begin(&one, what, directory, 1);
    assert_int_equal(trial_run(&one), VERSO_STATUS_IMPOSSIBLE);
    assert_int_equal(sscanf(strrchr(one.error.message, ';'), "; at least %llu bytes", &least), 1);
    trial_close(&one);
    folder_remove(directory);
    return least;
}

typedef struct outcome {
    bool said; /* that there was no room */
    uint64_t recovered;
} outcome;

/* Runs to the end in processes of a limited number of steps. */
static outcome suspend_every(const trial_case *what, uint64_t disk, uint64_t step_limit, const toy_result *expected) {
    char *directory = folder_new();
    verso_status status = VERSO_STATUS_SUSPENDED;
    outcome result = {0};
    while (status == VERSO_STATUS_SUSPENDED) {
        trial one;
        begin(&one, what, directory, disk);
        one.options.step_limit = step_limit;
        status = trial_run(&one);
        if (status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED)
            fail_msg("%s, %llu bytes, %llu steps at a time: %s", what->word, (unsigned long long)disk,
                     (unsigned long long)step_limit, one.error.message);
        if (one.report.durable.bytes_peak > disk || bytes_in(directory) > disk)
            fail_msg("%s, %llu steps at a time: %llu bytes were given, %llu taken, %llu left", what->word,
                     (unsigned long long)step_limit, (unsigned long long)disk,
                     (unsigned long long)one.report.durable.bytes_peak, (unsigned long long)bytes_in(directory));
        result.said = result.said || strstr(one.notices, "the limit of the disk leaves no room") != NULL;
        result.recovered = (uint64_t)one.report.recovered_steps;
        if (status == VERSO_STATUS_OK && !toy_equal(&one.result, expected))
            fail_msg("%s, %llu bytes, %llu steps at a time: another gradient", what->word, (unsigned long long)disk,
                     (unsigned long long)step_limit);
        trial_close(&one);
    }
    folder_remove(directory);
    return result;
}

static void suspended_with_any_limit(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    size_t poor = 0;
    for (size_t i = 0; i < CASES; i++) {
        uint64_t least = least_disk(&cases[i]);
        for (uint64_t more = 0; more < 1500; more += 60 + more)
            for (uint64_t limit = 5; limit < 200; limit += limit / 2) {
                outcome result = suspend_every(&cases[i], least + more, limit, &expected);
                poor += result.said;
                if (!result.said && result.recovered != 0)
                    fail_msg("%s, %llu bytes, %llu steps at a time: there was room, and %llu steps were lost",
                             cases[i].word, (unsigned long long)(least + more), (unsigned long long)limit,
                             (unsigned long long)result.recovered);
            }
    }
    print_message("%zu runs without room for all states\n", poor);
    assert_true(poor > 20);
}

/* ---- Killed again and again ---- */

/* True when it died. */
static bool die_at(const trial_case *what, const char *directory, uint64_t disk, uint64_t call) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        trial one;
        begin(&one, what, directory, disk);
        one.options.interval = 1e-9; /* a restart point at every step, each with a state */
        one.model.kill_after = call;
        if (trial_run(&one) != VERSO_STATUS_OK)
            print_error("%s\n", one.error.message);
        _exit(one.status == VERSO_STATUS_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        fail_msg("%s, to be killed at callback %llu: it failed", what->word, (unsigned long long)call);
    if (bytes_in(directory) > disk)
        fail_msg("%s: %llu bytes were given, %llu are left", what->word, (unsigned long long)disk,
                 (unsigned long long)bytes_in(directory));
    return WIFSIGNALED(status);
}

static void killed_with_the_least(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < CASES; i++) {
        uint64_t least = least_disk(&cases[i]);
        for (uint64_t calls = 8; calls <= 18; calls += 5) { /* enough for the first reversed step */
            char *directory = folder_new();
            uint64_t lives = 0;
            while (die_at(&cases[i], directory, least, calls + lives % 3))
                assert_true(++lives < 1000);
            trial one;
            begin(&one, &cases[i], directory, least);
            assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
            assert_true(toy_equal(&one.result, &expected));
            trial_close(&one);
            folder_remove(directory);
        }
    }
}

/* ---- A crash while room is made ---- */

/* The newest restart point's working state is there: it is not what goes. */
static void check_working(const trial_case *what, const char *directory) {
    char *journal = folder_path(directory, "journal"), name[64];
    verso__journal_contents contents;
    size_t size;
    assert_int_equal(verso__journal_read(&verso__system_machine, journal, &contents, NULL), VERSO_STATUS_OK);
    uint64_t working = contents.commits[0].working;
    snprintf(name, sizeof name, "capsules/state-%020llu", (unsigned long long)working);
    unsigned char *bytes = folder_read(directory, name, &size);
    if (working != VERSO_UNKNOWN && bytes == NULL)
        fail_msg("%s: a restart point at x_%llu, which is gone", what->word, (unsigned long long)working);
    free(bytes);
    verso__journal_contents_free(&contents);
    free(journal);
}

static void crash_at_every_call(const trial_case *what, const char *master, uint64_t disk, const toy_result *expected) {
    bool struck = true;
    for (uint64_t call = 1; struck; call++) {
        char *directory = folder_new();
        folder_copy(master, directory);
        faulty_system faulty;
        faulty_system_init(&faulty, NULL);
        faulty_system_fail(&faulty, call, FAULT_CRASH, 0);
        trial one;
        begin(&one, what, directory, disk);
        one.system = &faulty.system;
        one.options.interval = 1e-9;
        one.options.step_limit = 4;
        trial_run(&one);
        trial_close(&one);
        struck = faulty.struck;
        faulty_system_free(&faulty);
        check_working(what, directory);
        begin(&one, what, directory, disk);
        if (trial_run(&one) != VERSO_STATUS_OK)
            fail_msg("%s, after a crash at call %llu: %s", what->word, (unsigned long long)call, one.error.message);
        assert_true(toy_equal(&one.result, expected));
        trial_close(&one);
        folder_remove(directory);
    }
}

static void a_crash_while_room_is_made(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < CASES; i++) {
        uint64_t least = least_disk(&cases[i]);
        for (uint64_t limit = 40; limit < 130; limit += 45) {
            char *master = folder_new();
            trial one;
            begin(&one, &cases[i], master, least);
            one.options.step_limit = limit;
            assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
            trial_close(&one);
            crash_at_every_call(&cases[i], master, least, &expected);
            folder_remove(master);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspended_with_any_limit),
        cmocka_unit_test(killed_with_the_least),
        cmocka_unit_test(a_crash_while_room_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
