/* A thread that runs jobs one after the other, in the order in which they were submitted. Durability depends on
 * this order: a journal record is submitted after the capsules that it refers to, and a capsule is removed only
 * after the record that makes it superfluous. After a job has failed, no later job is run, so that nothing is
 * removed for which a failed write was the replacement. Every later call returns that failure. */
#ifndef VERSO_BASE_WORKER_H
#define VERSO_BASE_WORKER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct verso__worker verso__worker;

typedef struct verso__job verso__job;
struct verso__job {
    verso__job *next;                                         /* used by the worker */
    verso_status (*run)(verso__job *job, verso_error *error); /* called in the worker's thread */
    /* Frees the job, whether or not it was run. Called in the worker's thread, or in the thread that calls
     * verso__worker_submit or verso__worker_free. */
    void (*dispose)(verso__job *job);
};

/* Creates a worker. If `foreground` is true it has no thread, and verso__worker_submit runs each job. */
verso_status verso__worker_new(bool foreground, verso__worker **worker, verso_error *error);
/* Ends the thread and frees the worker. Jobs that have not begun are disposed of without being run: call
 * verso__worker_drain first if they matter. No-op on NULL. */
void verso__worker_free(verso__worker *worker);

/* Submits a job and takes ownership of it, even if it fails. Returns the failure of an earlier job, or, in the
 * foreground, of this job. */
verso_status verso__worker_submit(verso__worker *worker, verso__job *job, verso_error *error);
/* Waits until all submitted jobs are done. */
verso_status verso__worker_drain(verso__worker *worker, verso_error *error);
/* Waits until one more job is done: the running one, or else the next. Returns at once if there is none. */
verso_status verso__worker_wait_one(verso__worker *worker, verso_error *error);

#endif
