/* See worker.h. One mutex guards the queue. `changed` is signalled when a job is added, when a job is done and
 * when the worker shall end. */
#include "base/worker.h"

#include "base/alloc.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

struct verso__worker {
    bool foreground;
    bool ending;
    bool running; /* the thread runs a job */
    uint64_t finished;
    verso__job *first, *last;
    verso_error failure; /* of the first job that failed; its status is OK if none has */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

static verso_status failure_of(const verso__worker *worker, verso_error *error) {
    if (worker->failure.status != VERSO_STATUS_OK && error != NULL)
        *error = worker->failure;
    return worker->failure.status;
}

static verso__job *take(verso__worker *worker) {
    verso__job *job = worker->first;
    worker->first = job->next;
    if (worker->first == NULL)
        worker->last = NULL;
    return job;
}

static void *work(void *argument) {
    verso__worker *worker = argument;
    pthread_mutex_lock(&worker->mutex);
    for (;;) {
        while (worker->first == NULL && !worker->ending)
            pthread_cond_wait(&worker->changed, &worker->mutex);
        if (worker->ending)
            break;
        verso__job *job = take(worker);
        bool run = worker->failure.status == VERSO_STATUS_OK;
        worker->running = true;
        pthread_mutex_unlock(&worker->mutex);
        verso_error error = {0};
        verso_status status = run ? job->run(job, &error) : VERSO_STATUS_OK;
        job->dispose(job);
        pthread_mutex_lock(&worker->mutex);
        if (status != VERSO_STATUS_OK) {
            worker->failure = error;
            worker->failure.status = status;
        }
        worker->running = false;
        worker->finished++;
        pthread_cond_broadcast(&worker->changed);
    }
    pthread_mutex_unlock(&worker->mutex);
    return NULL;
}

/* Starts the thread with all signals blocked: the thread that computes handles them. */
static int start_thread(verso__worker *worker) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&worker->thread, NULL, work, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

verso_status verso__worker_new(bool foreground, verso__worker **made, verso_error *error) {
    verso__worker *worker = verso__alloc(1, sizeof *worker);
    if (worker == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a background writer");
    worker->foreground = foreground;
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->changed, NULL);
    int failure = foreground ? 0 : start_thread(worker);
    if (failure != 0) {
        pthread_cond_destroy(&worker->changed);
        pthread_mutex_destroy(&worker->mutex);
        verso__dealloc(worker);
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "cannot start a thread: %s; run without threads (foreground)",
                           strerror(failure));
    }
    *made = worker;
    return VERSO_STATUS_OK;
}

void verso__worker_free(verso__worker *worker) {
    if (worker == NULL)
        return;
    if (!worker->foreground) {
        pthread_mutex_lock(&worker->mutex);
        worker->ending = true;
        pthread_cond_broadcast(&worker->changed);
        pthread_mutex_unlock(&worker->mutex);
        pthread_join(worker->thread, NULL);
    }
    while (worker->first != NULL) {
        verso__job *job = take(worker);
        job->dispose(job);
    }
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->mutex);
    verso__dealloc(worker);
}

static verso_status submit_here(verso__worker *worker, verso__job *job, verso_error *error) {
    if (worker->failure.status == VERSO_STATUS_OK) {
        verso_error failure = {0};
        verso_status status = job->run(job, &failure);
        worker->failure = failure;
        worker->failure.status = status;
    }
    job->dispose(job);
    return failure_of(worker, error);
}

verso_status verso__worker_submit(verso__worker *worker, verso__job *job, verso_error *error) {
    if (worker->foreground)
        return submit_here(worker, job, error);
    job->next = NULL;
    pthread_mutex_lock(&worker->mutex);
    if (worker->last == NULL)
        worker->first = job;
    else
        worker->last->next = job;
    worker->last = job;
    verso_status status = failure_of(worker, error);
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    return status;
}

static bool is_busy(const verso__worker *worker) {
    return worker->first != NULL || worker->running;
}

verso_status verso__worker_drain(verso__worker *worker, verso_error *error) {
    pthread_mutex_lock(&worker->mutex);
    while (is_busy(worker))
        pthread_cond_wait(&worker->changed, &worker->mutex);
    verso_status status = failure_of(worker, error);
    pthread_mutex_unlock(&worker->mutex);
    return status;
}

verso_status verso__worker_wait_one(verso__worker *worker, verso_error *error) {
    pthread_mutex_lock(&worker->mutex);
    uint64_t finished = worker->finished;
    while (is_busy(worker) && worker->finished == finished)
        pthread_cond_wait(&worker->changed, &worker->mutex);
    verso_status status = failure_of(worker, error);
    pthread_mutex_unlock(&worker->mutex);
    return status;
}
