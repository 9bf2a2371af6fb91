/* A store: a place for capsules. It knows neither when nor why. Two come with Verso: memory, and files in a directory;
 * anyone may fill in the table.
 *
 * The way of a capsule: `reserve` gives a buffer, the program fills it, `commit` makes it the capsule (no copy is
 * made); `borrow` shows it, `release` ends that; `discard` frees it. One thread uses a store at a time; what a store
 * does in the background is its own affair. A name is known by kind and step; a store may use the slot for finding it
 * quickly. */
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

struct verso_system; /* how tests make system calls fail: base/system.h */

typedef struct verso_store_usage {
    uint64_t memory;      /* bytes of memory taken now */
    uint64_t memory_peak; /* the most so far */
    uint64_t bytes;       /* of the capsules held now, as they are stored */
    uint64_t bytes_peak;
    uint64_t writes, reads;             /* capsules; a read that was served from memory on its way to the disk counts */
    uint64_t bytes_written, bytes_read; /* of files; 0 for memory */
    double seconds_written, seconds_read; /* that system calls took, in whatever thread */
    double seconds_waited;                /* that a caller spent waiting for them */
} verso_store_usage;

typedef struct verso_store_operations {
    /* A buffer of `size` bytes, aligned for any type, for a capsule that is not held. May wait until earlier capsules
     * are on their way. VERSO_IMPOSSIBLE when the budget is too small; the message names the least that would do. */
    verso_status (*reserve)(void *self, const verso_capsule_name *name, size_t size, void **bytes, verso_error *error);
    /* The buffer becomes the capsule. It may still be on its way to where it will lie. After an error it is gone. */
    verso_status (*commit)(void *self, const verso_capsule_name *name, verso_error *error);
    /* Gives a reserved buffer back without making it a capsule. */
    void (*cancel)(void *self, const verso_capsule_name *name);
    /* The capsule's bytes, valid until `release`. One at a time. VERSO_CORRUPT when what lies there is not what was
     * stored: the message names it. VERSO_STATE when no such capsule is held. */
    verso_status (*borrow)(void *self, const verso_capsule_name *name, const void **bytes, size_t *size,
                           verso_error *error);
    void (*release)(void *self, const verso_capsule_name *name);
    /* Frees it. A store may do so later, but never before what was committed earlier is where it belongs. */
    verso_status (*discard)(void *self, const verso_capsule_name *name, verso_error *error);
    /* A hint: this one will be borrowed soon. Does nothing where there is no room for it. May be NULL. */
    void (*expect)(void *self, const verso_capsule_name *name);
    /* All that was committed and discarded so far has been done, durably where the store is durable. May be NULL. */
    verso_status (*sync)(void *self, verso_error *error);
    /* Calls `visit` for each capsule held, in ascending order of kind and step. NULL: nothing can outlive the process.
     */
    verso_status (*list)(void *self, verso_status (*visit)(void *context, const verso_capsule_name *name),
                         void *context, verso_error *error);
    void (*usage)(void *self, verso_store_usage *usage);
    /* Frees everything. What is durable stays where it is. */
    void (*close)(void *self);
} verso_store_operations;

typedef struct verso_store {
    const verso_store_operations *operations;
    void *self;
    bool durable; /* capsules survive the death of the process, and of the machine */
} verso_store;

/* ---- Memory ---- */

/* Capsules in memory, never more than `budget` bytes of them (0: no limit). Slots are numbers from 0. */
VERSO_API verso_status verso_store_memory_open(uint64_t budget, verso_store *store, verso_error *error);

/* ---- Files ---- */

typedef struct verso_file_store_options {
    const char *directory;  /* made when it is not there; one store a directory */
    verso_identity program; /* what does not carry both identities is refused */
    verso_identity run;
    uint64_t memory; /* most bytes of buffers on their way to or from files; 0: no limit, but a write waits
                      * while there are four others and 64 MiB of them */
    uint64_t disk;   /* most bytes of files; 0: no limit */
    int compression; /* level of zstd; 0: none */
    bool durable;    /* fsync before a capsule counts as stored */
    bool foreground; /* no thread: a commit returns when the capsule is written */
    const struct verso_system *system; /* NULL: the machine's */
} verso_file_store_options;

/* Capsules that earlier runs of the same identities left in the directory are held; half-written ones are removed. */
VERSO_API verso_status verso_store_file_open(const verso_file_store_options *options, verso_store *store,
                                             verso_error *error);

static inline void verso_store_close(verso_store *store) {
    if (store->operations)
        store->operations->close(store->self);
    store->operations = 0;
}

#ifdef __cplusplus
}
#endif
#endif
