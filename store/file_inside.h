/* Internals of the file store. Private to store/file*.c. At most three threads are involved: the caller's, the
 * writer's (jobs of file_write.c) and the reader's (file_read.c).
 *
 * Invariants
 *  1. `mutex` guards all fields except those marked below as belonging to one thread. No function holds it during a
 *     system call, while waiting, or while submitting a job (in the foreground, submitting runs the job).
 *  2. Only the caller's thread adds entries to `table` and removes them. A job only changes fields of an entry.
 *  3. A buffer returns to the pool when its last holder releases it. Holders are its write, the read-ahead and the
 *     borrower. The limit of the pool therefore bounds all of them together.
 *  4. Jobs run in the order of the calls that created them: a removal after the write of the same capsule, a new
 *     write of the same name after the removal. `table` therefore describes the directory as it will be when all
 *     jobs are done.
 *  5. After a job has failed (`broken`), nothing more is written or removed, and every call that can fail returns
 *     that failure. */
#ifndef VERSO_STORE_FILE_INSIDE_H
#define VERSO_STORE_FILE_INSIDE_H

#include "base/worker.h"
#include "store/capsule_io.h"
#include "store/held.h"
#include "store/pool.h"

#include <pthread.h>
#include <verso/store.h>

typedef struct verso__removal verso__removal;
typedef struct verso__write verso__write;
typedef struct verso__ahead verso__ahead;

typedef struct verso__file_store {
    verso_file_store_options options; /* `directory` is owned by the store */
    const verso__system *system;      /* the system calls that the store uses */
    verso__worker *writer;
    bool owns_writer;
    pthread_mutex_t mutex;

    verso__pool pool;
    verso__held_table table;
    verso_store_usage usage; /* without memory, which the pool counts */
    uint64_t promised;       /* disk bytes promised to the files of all capsules that are reserved or held */
    uint64_t pending;        /* number of writes that are submitted and not done */
    uint64_t reading;        /* number of capsules that the reader reads or has in its queue */
    bool unsynced;           /* a removal is not yet durable */
    bool broken;

    verso__buffer *borrowed;          /* buffer lent to the caller; NULL: none */
    verso_capsule_name borrowed_name; /* capsule in `borrowed` */
    verso__worker *reader;            /* reading thread; NULL until needed */
    verso__ahead *ahead;              /* the capsule being read ahead; NULL: none */

    /* Each of these belongs to one thread: its I/O buffers, and room for a path. */
    verso__capsule_io caller_io, writer_io, reader_io;
    char *caller_path, *writer_path, *writer_path_to, *reader_path;
} verso__file_store;

/* The write of one capsule: a job for the writer. */
struct verso__write {
    verso__job job;
    verso__file_store *store;
    verso__held *held;       /* entry of the capsule; NULL if it has been discarded */
    verso__removal *removal; /* the removal that a later discard submitted; NULL: none */
    verso__buffer *buffer;   /* bytes to write; NULL if the write is skipped */
    verso__capsule_label label;
    bool submitted, begun, done;
};

void verso__file_lock(verso__file_store *store);
void verso__file_unlock(verso__file_store *store);

/* Returns the failure that broke the store. The caller does not hold the mutex. */
verso_status verso__file_failure(verso__file_store *store, verso_error *error);
/* Returns the label of a capsule of this store's run. */
verso__capsule_label verso__file_label(const verso__file_store *store, const verso_capsule_name *name);
/* Returns the size in bytes of the longest path, including the NUL. */
size_t verso__file_path_room(const verso__file_store *store);
/* Writes "DIRECTORY/PREFIXstate-..." to `path`, one of the four path buffers of the store. */
void verso__file_path(const verso__file_store *store, const char *prefix, const verso__capsule_label *label,
                      char *path);

/* ---- file_write.c: call these without the mutex ---- */

/* Creates the write of a capsule without submitting it; NULL if there is no memory. The caller sets its buffer. */
verso__write *verso__file_write_new(verso__file_store *store, verso__held *held);
/* Submits the write; the worker then owns it. */
verso_status verso__file_write_submit(verso__write *write, verso_error *error);
/* Removes the capsule from the table and submits the removal of its file. If `skippable` is true and writing it has
 * not begun, the write is skipped instead. */
verso_status verso__file_discard(verso__file_store *store, verso__held *held, bool skippable, verso_error *error);
/* Waits for all writes and removals and makes them durable. */
verso_status verso__file_sync_all(verso__file_store *store, verso_error *error);

/* ---- file_read.c: call these with the mutex, which they release while they wait ---- */

/* Takes a buffer of `size` bytes, held by the caller. If there is no room, waits for pending writes, then discards
 * what is read ahead. Returns VERSO_STATUS_IMPOSSIBLE if the limit is still too small. */
verso_status verso__file_acquire(verso__file_store *store, size_t size, verso__buffer **buffer, verso_error *error);
/* Releases one hold of the buffer; the last one returns it to the pool. */
void verso__file_let_go(verso__file_store *store, verso__buffer *buffer);
/* Sets *buffer to the bytes of the capsule, held by the caller: from its pending write, from the read-ahead, or
 * from the file. */
verso_status verso__file_fetch(verso__file_store *store, const verso__held *held, verso__buffer **buffer,
                               verso_error *error);
/* Starts reading the capsule ahead if there is room, and discards what else was read ahead. */
void verso__file_expect(verso__file_store *store, const verso__held *held);
/* Discards what is read ahead. If `wait` is true, its buffer is back in the pool on return. */
void verso__file_forget(verso__file_store *store, bool wait);
/* Returns whether this capsule is being read ahead, or has been. */
bool verso__file_is_expected(const verso__file_store *store, const verso_capsule_name *name);

/* ---- file.c and file_open.c ---- */

extern const verso_store_operations verso__file_operations;
void verso__file_close_store(void *self);

#endif
