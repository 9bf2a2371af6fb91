/* Tests stopping a run (signals, limits of time and steps), a directory in use by another process, a run that is
 * already done, progress and notices. */
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 60 };

static void nap(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0 && errno == EINTR)
        ;
}

/* ---- A slow program, in a child ---- */

static struct {
    int (*advance)(void *context, uint64_t step);
    int channel; /* a byte is written to it at the first step */
} slow;

static int advance_slowly(void *context, uint64_t step) {
    if (slow.channel >= 0 && write(slow.channel, "x", 1) == 1)
        slow.channel = -1;
    nap(2);
    return slow.advance(context, step);
}

static void slow_down(trial *one, int channel) {
    slow.advance = one->model.loop.advance;
    slow.channel = channel;
    one->model.loop.advance = advance_slowly;
}

/* Makes a durable run in a child until it is asked to stop; the exit status is the status of the run. */
static pid_t start_child(const trial_case *what, const char *directory, bool foreground) {
    int channel[2];
    char byte;
    assert_int_equal(pipe(channel), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        trial one;
        trial_open(&one, what, STEPS, directory);
        slow_down(&one, channel[1]);
        one.options.on_signal = true;
        one.options.foreground = foreground;
        _exit((int)trial_run(&one));
    }
    close(channel[1]);
    assert_int_equal(read(channel[0], &byte, 1), 1);
    close(channel[0]);
    return child;
}

static verso_status wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    assert_true(WIFEXITED(status));
    return (verso_status)WEXITSTATUS(status);
}

static void signals_suspend(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        char *directory = folder_new();
        for (int number = 0; number < 4; number++) {
            pid_t child = start_child(&trial_cases[i], directory, number % 2 == 0);
            nap(15 + 10 * number);
            assert_int_equal(kill(child, number < 2 ? SIGTERM : SIGINT), 0);
            verso_status status = wait_for(child);
            assert_true(status == VERSO_STATUS_SUSPENDED || status == VERSO_STATUS_OK);
            verso_run_status seen = VERSO_RUN_STATUS_INIT;
            assert_int_equal(verso_run_status_read(directory, &seen, NULL), VERSO_STATUS_OK);
            assert_true(seen.suspended == (status == VERSO_STATUS_SUSPENDED));
            assert_false(seen.running);
        }
        trial one;
        trial_open(&one, &trial_cases[i], STEPS, directory);
        assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
        assert_true(toy_equal(&one.result, &expected));
        assert_true(one.report.recovered_steps == 0);
        trial_close(&one);
        folder_remove(directory);
    }
}

/* Handlers are the caller's again afterwards. */
static volatile sig_atomic_t own_signals;
static void own_handler(int number) {
    (void)number;
    own_signals++;
}

static int advance_with_signal(void *context, uint64_t step) {
    if (step == 5)
        raise(SIGTERM);
    return slow.advance(context, step);
}

static void handlers_are_given_back(void **state) {
    (void)state;
    struct sigaction mine = {.sa_handler = own_handler}, before;
    sigemptyset(&mine.sa_mask);
    assert_int_equal(sigaction(SIGTERM, &mine, &before), 0);
    char *directory = folder_new();
    trial one;
    trial_open(&one, &trial_cases[0], STEPS, directory);
    slow.advance = one.model.loop.advance;
    one.model.loop.advance = advance_with_signal;
    one.options.on_signal = true;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    assert_non_null(strstr(one.error.message, directory));
    assert_int_equal(own_signals, 0);
    raise(SIGTERM);
    assert_int_equal(own_signals, 1);
    trial_close(&one);
    trial_open(&one, &trial_cases[0], STEPS, directory); /* without on_signal the handler stays the caller's */
    one.model.loop.advance = advance_with_signal;
    assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
    trial_close(&one);
    assert_int_equal(sigaction(SIGTERM, &before, NULL), 0);
    folder_remove(directory);
}

/* ---- Limits ---- */

static void limits_of_time(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    char *directory = folder_new();
    verso_status status = VERSO_STATUS_SUSPENDED;
    uint64_t processes = 0;
    for (; status == VERSO_STATUS_SUSPENDED; processes++) {
        trial one;
        trial_open(&one, &trial_cases[2], STEPS, directory);
        slow_down(&one, -1);
        one.options.time_limit = 0.05;
        struct timespec began, ended;
        clock_gettime(CLOCK_MONOTONIC, &began);
        status = trial_run(&one);
        clock_gettime(CLOCK_MONOTONIC, &ended);
        double seconds = (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
        assert_true(seconds < 5); /* of a run that takes a fraction of it: the machine may be busy */
        if (status == VERSO_STATUS_OK)
            assert_true(toy_equal(&one.result, &expected));
        assert_true(processes < 1000);
        trial_close(&one);
    }
    assert_int_equal(status, VERSO_STATUS_OK);
    assert_true(processes > 1);
    folder_remove(directory);
}

static void limits_of_steps(void **state) {
    (void)state;
    for (uint64_t limit = 1; limit < 2 * STEPS; limit += 7) {
        trial one;
        char *directory = folder_new();
        trial_open(&one, &trial_cases[1], STEPS, directory);
        one.options.step_limit = limit;
        assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
        assert_true(one.report.forward_steps + one.report.reversed_steps == limit);
        trial_close(&one);
        folder_remove(directory);
    }
    trial one; /* without a directory the run is lost, and that is said */
    trial_open(&one, &trial_cases[3], STEPS, NULL);
    one.options.step_limit = 3;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    assert_non_null(strstr(one.error.message, "lost"));
    trial_close(&one);
}

/* A limit of exactly all steps does not suspend the run: what follows the last step takes no steps. */
static void a_limit_of_exactly_all_steps(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        uint64_t total = 0;
        for (int round = 0; round < 3; round++) { /* without a limit, with one of all steps, of one step less */
            char *directory = folder_new();
            trial one;
            trial_open(&one, &trial_cases[i], STEPS, directory);
            one.options.step_limit = total - (round == 2);
            assert_int_equal(trial_run(&one), round < 2 ? VERSO_STATUS_OK : VERSO_STATUS_SUSPENDED);
            assert_int_equal(one.report.done, round < 2);
            if (round < 2)
                assert_true(toy_equal(&one.result, &expected));
            total = (uint64_t)(one.report.forward_steps + one.report.reversed_steps);
            trial_close(&one);
            folder_remove(directory);
        }
    }
}

/* ---- While lost states are brought back ---- */

/* Makes a run whose process dies in the reverse phase, with all states in memory. */
static void die_in(const char *directory) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        trial one;
        trial_open(&one, &trial_cases[3], STEPS, directory);
        one.options.adjoint_distance = 5;
        one.model.kill_after = STEPS + 40;
        _exit(trial_run(&one) == VERSO_STATUS_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

/* Continues the run of the dead process to the end, with a limit in each process. Returns the report of the last one.
 * */
static verso_run_report recover_in(const char *master, uint64_t step_limit, double time_limit, uint64_t exactly) {
    toy_result expected = toy_reference(STEPS);
    char *directory = folder_new();
    folder_copy(master, directory);
    trial one;
    verso_status status = VERSO_STATUS_SUSPENDED;
    for (bool first = true; status == VERSO_STATUS_SUSPENDED; first = false) {
        trial_open(&one, &trial_cases[3], STEPS, directory);
        one.options.step_limit = step_limit;
        one.options.time_limit = time_limit;
        status = trial_run(&one);
        uint64_t steps = one.model.advanced + one.model.reversed;
        if (status == VERSO_STATUS_SUSPENDED)
            assert_int_equal(steps, exactly);
        if (first && exactly > 0) /* it is in the middle of it */
            assert_int_equal(one.report.recovered_steps, exactly);
        trial_close(&one);
    }
    assert_int_equal(status, VERSO_STATUS_OK);
    assert_true(toy_equal(&one.result, &expected));
    folder_remove(directory);
    return one.report;
}

static void limits_while_recovering(void **state) {
    (void)state;
    char *directory = folder_new();
    die_in(directory);
    verso_run_report at_once = recover_in(directory, 0, 0, 0);
    assert_true(at_once.recovered_steps > 10);
    for (uint64_t limit = 1; limit <= 9; limit += 4) { /* nothing is brought back twice */
        verso_run_report report = recover_in(directory, limit, 0, limit);
        assert_true(report.recovered_steps == at_once.recovered_steps);
        assert_true(report.forward_steps <= at_once.forward_steps); /* what is suspended may even save some */
        assert_true(report.reversed_steps == at_once.reversed_steps);
    }
    /* Over after the first step, by any clock. */
    verso_run_report report = recover_in(directory, 0, 1e-9, 1);
    assert_true(report.recovered_steps == at_once.recovered_steps);
    folder_remove(directory);
}

/* ---- Seconds ---- */

static void seconds_of_one_process_and_of_all(void **state) {
    (void)state;
    char *directory = folder_new();
    double before = 0;
    verso_status status = VERSO_STATUS_SUSPENDED;
    while (status == VERSO_STATUS_SUSPENDED) {
        trial one;
        trial_open(&one, &trial_cases[0], STEPS, directory);
        one.options.step_limit = 70;
        status = trial_run(&one);
        assert_true(one.report.seconds_process > 0);
        assert_true(before == 0 ? one.report.seconds == one.report.seconds_process
                                : one.report.seconds > one.report.seconds_process);
        before = one.report.seconds;
        trial_close(&one);
    }
    assert_int_equal(status, VERSO_STATUS_OK);
    folder_remove(directory);
}

/* ---- Two processes, one directory ---- */

static void one_process_a_directory(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    char *directory = folder_new(), pid[32];
    pid_t child = start_child(&trial_cases[0], directory, false);
    trial one;
    trial_open(&one, &trial_cases[0], STEPS, directory);
    assert_int_equal(trial_run(&one), VERSO_STATUS_BUSY);
    snprintf(pid, sizeof pid, "process %ld", (long)child);
    assert_non_null(strstr(one.error.message, pid));
    assert_non_null(strstr(one.error.message, directory));
    assert_int_equal(one.model.advanced, 0);
    trial_close(&one);
    verso_run_status seen = VERSO_RUN_STATUS_INIT;
    assert_int_equal(verso_run_status_read(directory, &seen, NULL), VERSO_STATUS_OK);
    assert_true(seen.running);
    assert_int_equal(seen.pid, child);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    trial_must_end(&trial_cases[0], STEPS, directory, &expected, "after the other process");
    folder_remove(directory);
}

/* ---- Done already ---- */

static void a_finished_run_is_not_computed_again(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        char *directory = folder_new();
        trial_must_end(&trial_cases[i], STEPS, directory, &expected, "the first time");
        for (int again = 0; again < 2; again++) {
            trial one;
            trial_open(&one, &trial_cases[i], STEPS, directory);
            one.options.memory = 8192 * (uint64_t)again; /* with any budget: nothing will be stored */
            assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
            assert_true(toy_equal(&one.result, &expected));
            assert_int_equal(one.model.advanced + one.model.reversed, 0);
            assert_true(one.report.done);
            assert_int_equal(one.report.restarts, 0);
            assert_true(one.report.reversed_steps == STEPS);
            trial_close(&one);
        }
        assert_int_equal(folder_count(directory, ""), 3);
        char *capsules = folder_path(directory, "capsules");
        assert_int_equal(folder_count(capsules, ""), 1); /* the adjoint of x_0 */
        free(capsules);
        folder_remove(directory);
    }
}

/* ---- Progress ---- */

typedef struct watcher {
    verso_progress last;
    uint64_t calls;
    bool fell; /* work went backwards within a process */
} watcher;

static void watch(void *context, const verso_progress *progress) {
    watcher *seen = context;
    seen->fell = seen->fell || (seen->calls > 0 && progress->work_done < seen->last.work_done);
    seen->last = *progress;
    seen->calls++;
}

static void progress_reaches_its_total(void **state) {
    (void)state;
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        for (uint64_t limit = 0; limit <= 40; limit += 8) {
            char *directory = folder_new();
            verso_status status = VERSO_STATUS_SUSPENDED;
            watcher seen = {0};
            double seconds = 0;
            while (status == VERSO_STATUS_SUSPENDED) {
                trial one;
                trial_open(&one, &trial_cases[i], STEPS, directory);
                if (limit == 0)
                    slow_down(&one, -1);
                one.options.step_limit = limit;
                one.options.progress = watch;
                one.options.progress_context = &seen;
                status = trial_run(&one);
                assert_true(seen.last.seconds + 1 >= seconds); /* what follows a restart point is not in it */
                assert_true(seen.last.seconds <= one.report.seconds * 1.01 + 0.02);
                seconds = one.report.seconds;
                trial_close(&one);
            }
            assert_int_equal(status, VERSO_STATUS_OK);
            assert_false(seen.fell);
            assert_int_equal(seen.last.phase, VERSO_PHASE_DONE);
            assert_int_equal(seen.last.steps, STEPS);
            assert_int_equal(seen.last.adjoint, 0);
            assert_true(seen.last.work_total > 0);
            assert_true(seen.last.work_done == seen.last.work_total);
            assert_true(seen.last.seconds_left == 0);
            folder_remove(directory);
        }
    }
}

static void what_is_worth_saying(void **state) {
    (void)state;
    char *directory = folder_new();
    trial one;
    trial_open(&one, &trial_cases[0], STEPS, directory);
    one.options.step_limit = 20;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    assert_string_equal(one.notices, "");
    trial_close(&one);
    trial_open(&one, &trial_cases[0], STEPS, directory);
    one.options.step_limit = 80;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    assert_non_null(strstr(one.notices, "is continued: the first sweep had reached step 20"));
    trial_close(&one);
    trial_open(&one, &trial_cases[0], STEPS, directory);
    assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
    assert_non_null(strstr(one.notices, "is continued: the adjoint is at step"));
    assert_int_equal(one.report.restarts, 2);
    trial_close(&one);
    folder_remove(directory);
    trial_open(&one, &trial_cases[3], STEPS, NULL);
    one.options.automatic = true;
    assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
    assert_non_null(strstr(one.notices, "store-all"));
    trial_close(&one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_suspend),
        cmocka_unit_test(handlers_are_given_back),
        cmocka_unit_test(limits_of_time),
        cmocka_unit_test(limits_of_steps),
        cmocka_unit_test(a_limit_of_exactly_all_steps),
        cmocka_unit_test(limits_while_recovering),
        cmocka_unit_test(seconds_of_one_process_and_of_all),
        cmocka_unit_test(one_process_a_directory),
        cmocka_unit_test(a_finished_run_is_not_computed_again),
        cmocka_unit_test(progress_reaches_its_total),
        cmocka_unit_test(what_is_worth_saying),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
