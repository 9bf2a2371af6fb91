/* One process a run directory: a lock that dies with its holder, and beside it a note of where the holder stands, which
 * `verso status` reads. The note is information only: nothing is decided by it. */
#ifndef VERSO_DRIVE_LOCK_H
#define VERSO_DRIVE_LOCK_H

#include "base/status.h"
#include "base/system.h"

#include <stdbool.h>
#include <stdint.h>
#include <verso/run.h>

typedef struct verso_lock verso_lock;

typedef struct verso_lock_note {
    uint64_t pid;
    char host[64];
    double updated; /* seconds since 1970 */
    verso_progress progress;
} verso_lock_note;

/* VERSO_BUSY when another process has it; the message says which, where that can be read. */
verso_status verso_lock_take(const verso_system *system, const char *path, verso_lock **lock, verso_error *error);
/* Overwrites the note, without sync. The doubles must be finite, or it will not be read. */
verso_status verso_lock_write(verso_lock *lock, const verso_progress *progress, verso_error *error);
/* Leaves the file where it is: removing it would let two processes hold two files of one name. NULL is nothing. */
void verso_lock_release(verso_lock *lock);

/* Waits for nobody (but looks at a lock that is held for some milliseconds), changes nothing. *held: a process has the
 * lock now. A note that does not hold is left 0; one whose holder has not said anything yet has `updated` 0.
 * VERSO_STATE when there is no such file. */
verso_status verso_lock_read(const verso_system *system, const char *path, verso_lock_note *note, bool *held,
                             verso_error *error);
/* What the fuzzer calls: false when the bytes are no note. */
bool verso_lock_parse(const void *bytes, size_t size, verso_lock_note *note);

#endif
