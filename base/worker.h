/* A thread that does jobs one after the other, in the order in which they were submitted. That order is what durability
 * rests on: a record that refers to a capsule is submitted after the capsule, the deletion that it allows after the
 * record. After a job has failed no later one is run, so nothing is deleted that a failed write should have replaced;
 * the failure is what every later call answers. */
#ifndef VERSO_BASE_WORKER_H
#define VERSO_BASE_WORKER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct verso_worker verso_worker;

typedef struct verso_job verso_job;
struct verso_job {
    verso_job *next;                                         /* the worker's */
    verso_status (*run)(verso_job *job, verso_error *error); /* in the worker's thread */
    void (*dispose)(verso_job *job); /* frees the job, run or not; in the worker's thread or that of submit or free */
};

/* Without a thread (`foreground`) a job is run by submit. */
verso_status verso_worker_new(bool foreground, verso_worker **worker, verso_error *error);
/* Jobs that have not begun are disposed of without being run; drain first where they matter. NULL is nothing. */
void verso_worker_free(verso_worker *worker);

/* Takes the job in any case, also when it returns an error (that of an earlier job; in the foreground its own). */
verso_status verso_worker_submit(verso_worker *worker, verso_job *job, verso_error *error);
/* Waits until every job is done. */
verso_status verso_worker_drain(verso_worker *worker, verso_error *error);
/* Waits until the job that is running, if any, or the next one, is done; returns at once when there is none. */
verso_status verso_worker_wait_one(verso_worker *worker, verso_error *error);

#endif
