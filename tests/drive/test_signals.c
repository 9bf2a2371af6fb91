/* Tests signals in a process with several runs: they are caught from the beginning of the first run to the end of the
 * last; every run that catches them stops and reports the signal; then the caller's handlers are restored. */
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 30, HELD_AT = 7, RUNS = 2 };

/* ---- Runs in threads, each held at a step until the test lets it go ---- */

typedef struct runner {
    trial one; /* first: its model is the context of the callbacks */
    int (*advance)(void *context, uint64_t step);
    sem_t arrived, go;
    bool held;
    char *directory;
    pthread_t thread;
} runner;

static int advance_when_released(void *context, uint64_t step) {
    runner *self = context;
    if (step == HELD_AT && !self->held) {
        self->held = true;
        sem_post(&self->arrived);
        while (sem_wait(&self->go) != 0) /* a signal interrupts it */
            ;
    }
    return self->advance(context, step);
}

static void *run(void *argument) {
    runner *self = argument;
    trial_run(&self->one);
    sem_post(&self->arrived); /* also when it was stopped before */
    return NULL;
}

/* Starts a runner. Returns when it is in the middle of its run. */
static void begin(runner *self, const trial_case *what) {
    self->directory = folder_new();
    self->held = false;
    trial_open(&self->one, what, STEPS, self->directory);
    self->advance = self->one.model.loop.advance;
    self->one.model.loop.advance = advance_when_released;
    self->one.options.on_signal = true;
    assert_int_equal(sem_init(&self->arrived, 0, 0), 0);
    assert_int_equal(sem_init(&self->go, 0, 0), 0);
    assert_int_equal(pthread_create(&self->thread, NULL, run, self), 0);
    while (sem_wait(&self->arrived) != 0)
        ;
}

/* Lets a runner continue, and checks how it ends. */
static void end(runner *self, verso_status status, int number) {
    sem_post(&self->go);
    assert_int_equal(pthread_join(self->thread, NULL), 0);
    if (self->one.status != status)
        fail_msg("%s: %s", verso_status_name(self->one.status), self->one.error.message);
    assert_int_equal(self->one.report.signal, number);
    sem_destroy(&self->arrived);
    sem_destroy(&self->go);
    trial_close(&self->one);
}

static void go_on(runner *self, const trial_case *what, const toy_result *expected) {
    trial_must_end(what, STEPS, self->directory, expected, "after the signal");
    folder_remove(self->directory);
}

/* ---- The caller's handlers ---- */

static volatile sig_atomic_t own_signals;

static void own_handler(int number) {
    (void)number;
    own_signals++;
}

typedef struct handlers {
    struct sigaction terminate, interrupt;
} handlers;

static handlers install(void) {
    struct sigaction mine = {.sa_handler = own_handler};
    handlers before;
    sigemptyset(&mine.sa_mask);
    assert_int_equal(sigaction(SIGTERM, &mine, &before.terminate), 0);
    assert_int_equal(sigaction(SIGINT, &mine, &before.interrupt), 0);
    own_signals = 0;
    return before;
}

/* Checks that the handlers of the test are in force again, and restores those before them. */
static void uninstall(const handlers *before) {
    assert_int_equal(own_signals, 0);
    raise(SIGTERM);
    raise(SIGINT);
    assert_int_equal(own_signals, 2);
    assert_int_equal(sigaction(SIGTERM, &before->terminate, NULL), 0);
    assert_int_equal(sigaction(SIGINT, &before->interrupt, NULL), 0);
}

/* ---- Tests ---- */

static void one_run_ends_before_the_signal(void **state) {
    (void)state;
    static runner runners[RUNS];
    toy_result expected = toy_reference(STEPS);
    for (size_t last = 0; last < RUNS; last++) { /* the one that began first, the one that began last */
        int number = last == 0 ? SIGTERM : SIGINT;
        handlers before = install();
        for (size_t i = 0; i < RUNS; i++)
            begin(&runners[i], &trial_cases[i]);
        end(&runners[1 - last], VERSO_STATUS_OK, 0);
        raise(number);
        end(&runners[last], VERSO_STATUS_SUSPENDED, number);
        uninstall(&before);
        for (size_t i = 0; i < RUNS; i++)
            go_on(&runners[i], &trial_cases[i], &expected);
    }
}

static void a_signal_stops_all_runs(void **state) {
    (void)state;
    static runner runners[RUNS + 1];
    toy_result expected = toy_reference(STEPS);
    handlers before = install();
    for (size_t i = 0; i < RUNS; i++)
        begin(&runners[i], &trial_cases[2 + i]);
    raise(SIGTERM);
    for (size_t i = 0; i < RUNS; i++)
        end(&runners[i], VERSO_STATUS_SUSPENDED, SIGTERM);
    begin(&runners[RUNS], &trial_cases[0]); /* it came before this one began */
    end(&runners[RUNS], VERSO_STATUS_OK, 0);
    uninstall(&before);
    for (size_t i = 0; i < RUNS; i++)
        go_on(&runners[i], &trial_cases[2 + i], &expected);
    go_on(&runners[RUNS], &trial_cases[0], &expected);
}

/* A run without on_signal is not stopped by signals, and does not remove the handlers of other runs. */
static void a_run_that_catches_none(void **state) {
    (void)state;
    static runner catching;
    toy_result expected = toy_reference(STEPS);
    handlers before = install();
    begin(&catching, &trial_cases[0]);
    raise(SIGTERM);
    trial other;
    trial_open(&other, &trial_cases[3], STEPS, NULL);
    assert_int_equal(trial_run(&other), VERSO_STATUS_OK);
    assert_int_equal(other.report.signal, 0);
    trial_close(&other);
    raise(SIGTERM);
    end(&catching, VERSO_STATUS_SUSPENDED, SIGTERM);
    uninstall(&before);
    go_on(&catching, &trial_cases[0], &expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_ends_before_the_signal),
        cmocka_unit_test(a_signal_stops_all_runs),
        cmocka_unit_test(a_run_that_catches_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
