/* Tests that reports count the work of processes that died, over all processes, even if restart points are lost.
 * Steps take longer than a tenth of a second, so that each is noted before the next one begins. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS, which POSIX.1-2008 does not have */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/wide.h"
#include "drive/journal.h"
#include "drive/lock.h"
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 5, STEP_NANOSECONDS = 110000000 };

static const verso_program_operations *inner; /* of the toy */
static volatile uint64_t *truth;              /* steps that were run, in all processes */
static uint64_t kill_at;                      /* SIGKILL to ourselves in this call; 0: never */

static void begin_call(void) {
    if (kill_at > 0 && --kill_at == 0)
        raise(SIGKILL);
    nanosleep(&(struct timespec){.tv_nsec = STEP_NANOSECONDS}, NULL);
}

static verso_status slow_advance(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error) {
    begin_call();
    verso_status status = inner->advance(self, from, to, reached, error);
    *truth += *reached - from;
    return status;
}

static verso_status slow_reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    begin_call();
    verso_status status = inner->reverse(self, from, to, last, error);
    *truth += from - to;
    return status;
}

static verso_status run_slowly(trial *one, const char *directory) {
    trial_open(one, &trial_cases[0], STEPS, directory);
    inner = one->model.program.operations;
    verso_program_operations slow = *inner;
    slow.advance = slow_advance;
    slow.reverse = slow_reverse;
    one->model.program.operations = &slow;
    verso_status status = trial_run(one);
    one->model.program.operations = inner;
    return status;
}

static void die_at(const char *directory, uint64_t call) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        trial one;
        kill_at = call;
        _exit((int)run_slowly(&one, directory));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

/* As if the last records had not come to the disk: the run goes back further than its last restart point. */
static void lose_records(const char *path) {
    size_t size;
    unsigned char *bytes = file_read(path, &size);
    file_write(path, bytes, size - size / 3);
    free(bytes);
}

/* The number of lost steps that the next process must report. */
static uint64_t lost_from(const char *path) {
    verso__journal_contents contents;
    assert_int_equal(verso__journal_read(&verso__system_machine, path, &contents, NULL), VERSO_STATUS_OK);
    assert_true(contents.commit_count > 0);
    const verso__counts *counts = &contents.commits[0].counts;
    uint64_t lost = (uint64_t)(counts->lost_steps + *truth - counts->forward_steps - counts->reversed_steps);
    verso__journal_contents_free(&contents);
    return lost;
}

static void steps_of_dead_processes_are_counted(void **state) {
    (void)state;
    static const uint64_t deaths[] = {4, 1, 6, 4, 2};
    toy_result expected = toy_reference(STEPS);
    char *directory = folder_new(), *path = folder_path(directory, "journal");
    uint64_t lost = 0;
    truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(truth != MAP_FAILED);
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
        die_at(directory, deaths[i]);
        if (i % 2 == 0)
            lose_records(path);
        lost = lost_from(path);
    }
    assert_true(lost > 0);
    for (int again = 0; again < 2; again++) { /* when it is done, it still is what was done */
        trial one;
        assert_int_equal(run_slowly(&one, directory), VERSO_STATUS_OK);
        assert_true(toy_equal(&one.result, &expected));
        assert_int_equal((uint64_t)(one.report.forward_steps + one.report.reversed_steps), *truth);
        assert_int_equal((uint64_t)one.report.lost_steps, lost);
        assert_true(one.report.seconds >= 1e-9 * STEP_NANOSECONDS * (double)*truth);
        trial_close(&one);
    }
    munmap((void *)truth, sizeof *truth);
    free(path);
    folder_remove(directory);
}

/* Another run in the same directory has its own counts, and a refused run does not change those that are there. */
static void counts_are_of_one_run(void **state) {
    (void)state;
    char *directory = folder_new(), *path = folder_path(directory, "lock");
    verso__lock *lock;
    const verso_identity run = {{3, 4}}, other = {{3, 5}};
    const verso__counts counts = {.forward_steps = 17, .reversed_steps = (verso__wide)1 << 70, .seconds = 2.5};
    assert_int_equal(verso__lock_take(&verso__system_machine, path, &lock, NULL), VERSO_STATUS_OK);
    assert_null(verso__lock_counts(lock, run));
    verso__lock_count(lock, run, &counts);
    assert_int_equal(verso__lock_write(lock, &(verso_progress){0}, NULL), VERSO_STATUS_OK);
    verso__lock_release(lock);
    for (int taker = 0; taker < 2; taker++) { /* each leaves them to the next */
        assert_int_equal(verso__lock_take(&verso__system_machine, path, &lock, NULL), VERSO_STATUS_OK);
        assert_null(verso__lock_counts(lock, other));
        const verso__counts *found = verso__lock_counts(lock, run);
        assert_true(found != NULL && found->forward_steps == 17 && found->reversed_steps == (verso__wide)1 << 70 &&
                    found->seconds == 2.5);
        verso__lock_release(lock);
    }
    free(path);
    folder_remove(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_dead_processes_are_counted),
        cmocka_unit_test(counts_are_of_one_run),
    };
    return cmocka_run_group_tests_name("lost", tests, NULL, NULL);
}
