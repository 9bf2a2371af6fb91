/* The file store, inside. Three threads at most: the caller's, the writer's (jobs of file_write.c) and the reader's
 * (file_read.c).
 *
 *  1. `mutex` guards everything but what is named below as one thread's own. It is not held during a system call, nor
 *     while anything is waited for, nor while a job is submitted (in the foreground the job runs at once).
 *  2. Only the caller's thread adds and removes what is held; a job changes only what lies in it.
 *  3. A buffer goes back to the pool when its last holder lets it go: its write, the read-ahead, the borrower. So the
 *     pool's limit bounds all of them together.
 *  4. Jobs are run in the order of the calls that made them: a removal after the write of what it removes, a new write
 *     of the same name after the removal. What is held is therefore how things will stand when all jobs are done.
 *  5. After a job has failed (`broken`) nothing more is written or removed, and every call that can fail says why. */
#ifndef VERSO_STORE_FILE_INSIDE_H
#define VERSO_STORE_FILE_INSIDE_H

#include "base/worker.h"
#include "store/capsule_io.h"
#include "store/held.h"
#include "store/pool.h"

#include <pthread.h>
#include <verso/store.h>

typedef struct verso_removal verso_removal;
typedef struct verso_write verso_write;
typedef struct verso_ahead verso_ahead;

typedef struct verso_file_store {
    verso_file_store_options options; /* directory is ours; system is never NULL */
    verso_worker *writer;
    bool writer_is_ours;
    pthread_mutex_t mutex;

    verso_pool pool;
    verso_held_table table;
    verso_store_usage usage; /* memory is the pool's affair */
    uint64_t promised;       /* to the files of all that is reserved or held */
    uint64_t pending;        /* writes submitted and not done */
    uint64_t reading;        /* capsules being read ahead, or in the reader's queue */
    bool unsynced;           /* a removal is not durable yet */
    bool broken;

    verso_buffer *borrowed; /* with its name; NULL: nothing is */
    verso_capsule_name borrowed_name;
    verso_worker *reader; /* made when first needed */
    verso_ahead *ahead;   /* NULL: nothing is expected */

    /* One thread's own each: room for a path, and what it writes or reads with. */
    verso_capsule_io caller_io, writer_io, reader_io;
    char *caller_path, *writer_path, *writer_path_to, *reader_path;
} verso_file_store;

struct verso_write {
    verso_job job;
    verso_file_store *store;
    verso_held *held;       /* NULL: discarded since */
    verso_removal *removal; /* that a discard has submitted since */
    verso_buffer *buffer;   /* NULL: skipped */
    verso_capsule_label label;
    bool submitted, begun, done;
};

void verso_file_lock(verso_file_store *store);
void verso_file_unlock(verso_file_store *store);

/* Why the store is broken. Called without the lock. */
verso_status verso_file_failure(verso_file_store *store, verso_error *error);
verso_capsule_label verso_file_label(const verso_file_store *store, const verso_capsule_name *name);
/* Bytes that the longest path takes. */
size_t verso_file_path_room(const verso_file_store *store);
/* "DIRECTORY/PREFIXstate-…" in `path`, one of the store's four. */
void verso_file_path(const verso_file_store *store, const char *prefix, const verso_capsule_label *label, char *path);

/* ---- file_write.c; all without the lock ---- */

/* A write of the capsule, not submitted yet; NULL: no memory. Its buffer is the caller's affair. */
verso_write *verso_file_write_new(verso_file_store *store, verso_held *held);
verso_status verso_file_write_submit(verso_write *write, verso_error *error);
/* Ends the holding of a capsule and submits the removal of its file. `skippable`: unless it can still be spared. */
verso_status verso_file_discard(verso_file_store *store, verso_held *held, bool skippable, verso_error *error);
verso_status verso_file_sync_all(verso_file_store *store, verso_error *error);

/* ---- file_read.c; all with the lock, which is given up while anything is waited for ---- */

/* A buffer with one holder. Waits for writes when there is no room, and drops what is read ahead. */
verso_status verso_file_acquire(verso_file_store *store, size_t size, verso_buffer **buffer, verso_error *error);
void verso_file_let_go(verso_file_store *store, verso_buffer *buffer);
/* The capsule's bytes, with the caller for a holder: from the write that is on its way, from what was read ahead, or
 * from the file. */
verso_status verso_file_fetch(verso_file_store *store, const verso_held *held, verso_buffer **buffer,
                              verso_error *error);
/* Begins to read the capsule ahead, if there is room; forgets what else was read ahead. */
void verso_file_expect(verso_file_store *store, const verso_held *held);
/* Forgets what is read ahead. With `wait` its buffer is back in the pool when this returns. */
void verso_file_forget(verso_file_store *store, bool wait);
/* Whether that is this capsule. */
bool verso_file_expects(const verso_file_store *store, const verso_capsule_name *name);

/* ---- file.c and file_open.c ---- */

extern const verso_store_operations verso_file_operations;
void verso_file_close_store(void *self);

#endif
