/* A store keeps capsules. Verso has two: one in memory, one in files of a directory. You can write another by filling
 * in the table of operations. A store does not know the schedule that decides what is stored and when.
 *
 *     verso_store store;
 *     verso_store_memory_open(0, &store, &error);
 *     store.operations->reserve(store.self, &name, size, &bytes, &error); // then write the capsule to `bytes`
 *     store.operations->commit(store.self, &name, &error);                // the buffer becomes the capsule: no copy
 *     store.operations->borrow(store.self, &name, &capsule, &size, &error);
 *     store.operations->release(store.self, &name);
 *     store.operations->discard(store.self, &name, &error);
 *     verso_store_close(&store);
 *
 * Kind and step identify a capsule; a store may use the slot to find it quickly.
 *
 * Threads: use a store in one thread at a time; different stores are independent. A store may have threads of its own.
 * Errors: see status.h. VERSO_STATUS_STATE reports calls out of order, VERSO_STATUS_INVALID an unknown kind of
 * capsule. */
#ifndef VERSO_STORE_H
#define VERSO_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/capsule.h>
#include <verso/export.h>
#include <verso/identity.h>
#include <verso/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct verso_store_usage {
    uint64_t memory;      /* bytes of memory that buffers take now */
    uint64_t memory_peak; /* maximum of `memory` so far */
    uint64_t bytes;       /* bytes of the capsules held now, as stored (files: with header, compressed) */
    uint64_t bytes_peak;  /* maximum of `bytes` so far */
    /* Number of capsules committed and borrowed. Borrowing a capsule that is still being written counts as a read. */
    uint64_t writes, reads;
    uint64_t bytes_written, bytes_read;   /* to and from files; 0 for the memory store */
    double seconds_written, seconds_read; /* duration of the system calls, in any thread */
    double seconds_waited;                /* time that callers of the store waited for files */
} verso_store_usage;

/* Every operation is required unless its comment says that it may be NULL. */
typedef struct verso_store_operations {
    /* Sets *bytes to a buffer of `size` bytes, aligned for any type, for a capsule that the store does not hold yet.
     * The store owns the buffer. May wait until earlier capsules are written. VERSO_STATUS_IMPOSSIBLE if the budget is
     * too small; the message names the smallest sufficient one. */
    verso_status (*reserve)(void *self, const verso_capsule_name *name, size_t size, void **bytes, verso_error *error);
    /* Makes the reserved buffer the capsule. The store may finish writing it after `commit` has returned. After an
     * error the store has neither the buffer nor the capsule. */
    verso_status (*commit)(void *self, const verso_capsule_name *name, verso_error *error);
    /* Frees a reserved buffer instead of committing it. No-op if the name is not reserved. */
    void (*cancel)(void *self, const verso_capsule_name *name);
    /* Sets *bytes and *size to the capsule's bytes, valid until `release`. Borrow one capsule at a time.
     * VERSO_STATUS_CORRUPT if the bytes are not those that were stored (the message names the capsule),
     * VERSO_STATUS_STATE if the store does not hold it. */
    verso_status (*borrow)(void *self, const verso_capsule_name *name, const void **bytes, size_t *size,
                           verso_error *error);
    /* Ends the borrowing. No-op if the capsule is not borrowed. */
    void (*release)(void *self, const verso_capsule_name *name);
    /* Removes a capsule that is not borrowed. The store may do so later, but not before all capsules that were
     * committed earlier are written. */
    verso_status (*discard)(void *self, const verso_capsule_name *name, verso_error *error);
    /* A hint that this capsule will be borrowed soon. A store without room to read ahead ignores it. May be NULL. */
    void (*expect)(void *self, const verso_capsule_name *name);
    /* Waits until all commits and discards so far are carried out, and, if the store is durable, synced to disk. May
     * be NULL. */
    verso_status (*sync)(void *self, verso_error *error);
    /* Calls `visit` for each capsule held, in ascending order of kind, then step, until it returns anything but
     * VERSO_STATUS_OK, and returns that. May be NULL if no capsule outlives the process. */
    verso_status (*list)(void *self, verso_status (*visit)(void *context, const verso_capsule_name *name),
                         void *context, verso_error *error);
    /* Writes the current numbers to *usage. */
    void (*usage)(void *self, verso_store_usage *usage);
    /* Finishes pending writes and frees the store's memory. Files stay. Call verso_store_close instead. */
    void (*close)(void *self);
} verso_store_operations;

typedef struct verso_store {
    const verso_store_operations *operations;
    void *self;
    bool durable; /* synced capsules survive the death of the process and of the machine */
} verso_store;

/* ---- Memory ---- */

/* Opens a store in memory whose capsules take at most `budget` bytes together (0: no limit). It finds capsules by their
 * slot and keeps an array with one entry per slot, so number the slots from 0. VERSO_STATUS_NO_MEMORY on failure. Close
 * it with verso_store_close. */
VERSO_API verso_status verso_store_memory_open(uint64_t budget, verso_store *store, verso_error *error);

/* ---- Files ---- */

/* Only `directory` is required. */
typedef struct verso_file_store_options {
    size_t size VERSO_SIZE_OF(verso_file_store_options); /* set by VERSO_FILE_STORE_OPTIONS_INIT */
    /* Created (mode 0700) if it does not exist; its parent must exist. Open at most one store per directory at a time:
     * the store does not lock it. */
    const char *directory;
    /* Written to every file. The store neither holds nor removes files with other identities, but a new capsule
     * replaces such a file of the same name. */
    verso_identity program;
    verso_identity run;
    /* Maximum bytes of buffers (reserved, being written, read ahead, borrowed). 0: no limit, but `reserve` waits while
     * at least four writes are pending and buffers take at least 64 MiB. */
    uint64_t memory;
    uint64_t disk;   /* maximum bytes of files; 0: no limit */
    int compression; /* zstd level; 0: no compression */
    bool durable;    /* sync each file and its directory before the capsule counts as stored */
    bool foreground; /* use no threads: `commit` returns after the capsule is written, and nothing is read ahead */
} verso_file_store_options;
#define VERSO_FILE_STORE_OPTIONS_INIT VERSO_INIT_OF(verso_file_store_options)

/* Opens a store in files. It holds the capsules with the same two identities that earlier processes left in the
 * directory, and also files whose header is damaged or unreadable: borrowing one of those fails with
 * VERSO_STATUS_CORRUPT or VERSO_STATUS_IO, discarding it removes the file. Half-written files (".writing-…") are
 * removed whatever their identity.
 *
 * After a write or a removal has failed, the store writes and removes nothing more, and every later operation that can
 * fail reports that failure.
 *
 * The options are copied. VERSO_STATUS_INVALID without a directory. Close the store with verso_store_close, which first
 * finishes writing what was committed. */
VERSO_API verso_status verso_store_file_open(const verso_file_store_options *options, verso_store *store,
                                             verso_error *error);

/* Closes a store of any kind. No-op if it is not open: after a failed open, or after an earlier close. */
static inline void verso_store_close(verso_store *store) {
    if (store->operations)
        store->operations->close(store->self);
    store->operations = 0;
}

#ifdef __cplusplus
}
#endif
#endif
