/* The worker: jobs are run in the order of their submission, each is disposed of once, and after a failure none is run
 * and every call says why. With a thread and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/worker.h"

#include <pthread.h>

enum { JOBS = 1000 };

/* What jobs did. The worker orders all accesses: the test looks after a drain or a free. */
typedef struct ledger {
    int order[JOBS];
    int run, disposed;
} ledger;

typedef struct numbered {
    verso__job job;
    ledger *ledger;
    int number;
    bool fails;
} numbered;

static verso_status run(verso__job *job, verso_error *error) {
    numbered *self = (numbered *)job;
    self->ledger->order[self->ledger->run++] = self->number;
    return self->fails ? verso__fail(error, VERSO_STATUS_IO, "job %d failed", self->number) : VERSO_STATUS_OK;
}

static void dispose(verso__job *job) {
    numbered *self = (numbered *)job;
    self->ledger->disposed++;
    free(self);
}

static verso__job *make(ledger *ledger, int number, bool fails) {
    numbered *self = calloc(1, sizeof *self);
    assert_non_null(self);
    *self = (numbered){{.run = run, .dispose = dispose}, ledger, number, fails};
    return &self->job;
}

static verso__worker *worker_of(void **state) {
    verso__worker *worker = NULL;
    assert_int_equal(verso__worker_new(*(const bool *)*state, &worker, NULL), VERSO_STATUS_OK);
    return worker;
}

static void jobs_are_run_in_order(void **state) {
    verso__worker *worker = worker_of(state);
    ledger ledger = {0};
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(verso__worker_submit(worker, make(&ledger, i, false), NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__worker_drain(worker, NULL), VERSO_STATUS_OK);
    assert_int_equal(ledger.run, JOBS);
    assert_int_equal(ledger.disposed, JOBS);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(ledger.order[i], i);
    assert_int_equal(verso__worker_drain(worker, NULL), VERSO_STATUS_OK); /* nothing is nothing */
    assert_int_equal(verso__worker_wait_one(worker, NULL), VERSO_STATUS_OK);
    verso__worker_free(worker);
}

static void nothing_is_run_after_a_failure(void **state) {
    verso__worker *worker = worker_of(state);
    ledger ledger = {0};
    verso_error error = {0};
    (void)verso__worker_submit(worker, make(&ledger, 1, false), NULL);
    (void)verso__worker_submit(worker, make(&ledger, 2, true), NULL);
    for (int i = 3; i < 10; i++)
        (void)verso__worker_submit(worker, make(&ledger, i, i % 2 == 0), NULL);
    assert_int_equal(verso__worker_drain(worker, &error), VERSO_STATUS_IO);
    assert_string_equal(error.message, "job 2 failed");
    assert_int_equal(ledger.run, 2);
    assert_int_equal(ledger.disposed, 9);
    memset(&error, 0, sizeof error);
    assert_int_equal(verso__worker_submit(worker, make(&ledger, 10, false), &error), VERSO_STATUS_IO);
    assert_string_equal(error.message, "job 2 failed");
    assert_int_equal(verso__worker_wait_one(worker, NULL), VERSO_STATUS_IO);
    assert_int_equal(verso__worker_drain(worker, NULL), VERSO_STATUS_IO);
    assert_int_equal(ledger.run, 2);
    assert_int_equal(ledger.disposed, 10);
    verso__worker_free(worker);
}

static void in_the_foreground_submit_says_how_it_went(void **state) {
    (void)state;
    verso__worker *worker;
    ledger ledger = {0};
    verso_error error = {0};
    assert_int_equal(verso__worker_new(true, &worker, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__worker_submit(worker, make(&ledger, 1, false), &error), VERSO_STATUS_OK);
    assert_int_equal(ledger.disposed, 1);
    assert_int_equal(verso__worker_submit(worker, make(&ledger, 2, true), &error), VERSO_STATUS_IO);
    assert_string_equal(error.message, "job 2 failed");
    verso__worker_free(worker);
}

/* ---- A job that waits until the test lets it end ---- */

typedef struct gate {
    verso__job job;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool begun, open, disposed;
} gate;

static void gate_set(gate *gate, bool *flag) {
    pthread_mutex_lock(&gate->mutex);
    *flag = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

static void gate_wait(gate *gate, const bool *flag) {
    pthread_mutex_lock(&gate->mutex);
    while (!*flag)
        pthread_cond_wait(&gate->changed, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
}

static verso_status gate_run(verso__job *job, verso_error *error) {
    (void)error;
    gate *self = (gate *)job;
    gate_set(self, &self->begun);
    gate_wait(self, &self->open);
    return VERSO_STATUS_OK;
}

static void gate_dispose(verso__job *job) {
    gate *self = (gate *)job;
    gate_set(self, &self->disposed);
}

static gate closed_gate(void) {
    return (gate){.job = {.run = gate_run, .dispose = gate_dispose},
                  .mutex = PTHREAD_MUTEX_INITIALIZER,
                  .changed = PTHREAD_COND_INITIALIZER};
}

/* A second thread opens the gate, so that what waits for the job may come before or after its end. */
static void *open_gate(void *argument) {
    gate *self = argument;
    gate_wait(self, &self->begun);
    gate_set(self, &self->open);
    return NULL;
}

static void waiting_for_one_waits_for_one(void **state) {
    (void)state;
    verso__worker *worker;
    gate first = closed_gate();
    pthread_t opener;
    assert_int_equal(verso__worker_new(false, &worker, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__worker_submit(worker, &first.job, NULL), VERSO_STATUS_OK);
    gate_wait(&first, &first.begun);
    assert_int_equal(pthread_create(&opener, NULL, open_gate, &first), 0);
    assert_int_equal(verso__worker_wait_one(worker, NULL), VERSO_STATUS_OK);
    assert_true(first.disposed);
    assert_int_equal(pthread_join(opener, NULL), 0);
    verso__worker_free(worker);
}

static void what_has_not_begun_is_disposed_of(void **state) {
    (void)state;
    verso__worker *worker;
    ledger ledger = {0};
    gate first = closed_gate();
    pthread_t opener;
    assert_int_equal(verso__worker_new(false, &worker, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__worker_submit(worker, &first.job, NULL), VERSO_STATUS_OK);
    for (int i = 0; i < 20; i++)
        assert_int_equal(verso__worker_submit(worker, make(&ledger, i, false), NULL), VERSO_STATUS_OK);
    gate_wait(&first, &first.begun);
    assert_int_equal(pthread_create(&opener, NULL, open_gate, &first), 0);
    verso__worker_free(worker);
    assert_int_equal(pthread_join(opener, NULL), 0);
    assert_true(first.disposed);
    assert_int_equal(ledger.disposed, 20);
    verso__worker_free(NULL);
}

int main(void) {
    static const bool foreground = true, background = false;
#define BOTH(test) \
    {#test ", in the foreground", test, NULL, NULL, (void *)(uintptr_t)&foreground}, { \
        #test ", in the background", test, NULL, NULL, (void *)(uintptr_t)&background \
    }
    const struct CMUnitTest tests[] = {
        BOTH(jobs_are_run_in_order),
        BOTH(nothing_is_run_after_a_failure),
        cmocka_unit_test(in_the_foreground_submit_says_how_it_went),
        cmocka_unit_test(waiting_for_one_waits_for_one),
        cmocka_unit_test(what_has_not_begun_is_disposed_of),
    };
    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
