/* The lock of a run directory, which permits one process at a time and ends with its holder, and a note in the same
 * file. The note says how far the holder has come, for `verso status`, and what all processes of the run have done.
 * It is the only place that records what a process did after its last restart point. It is information only: no
 * decision depends on it. */
#ifndef VERSO_DRIVE_LOCK_H
#define VERSO_DRIVE_LOCK_H

#include "base/status.h"
#include "base/system.h"
#include "drive/journal.h"

#include <stdbool.h>
#include <stdint.h>
#include <verso/run.h>

typedef struct verso__lock verso__lock;

typedef struct verso__lock_note {
    uint64_t pid;   /* of the holder */
    char host[64];  /* of the holder */
    double updated; /* when the note was written, in seconds since 1970; 0: the holder has not reported progress yet */
    verso_progress progress;
    verso_identity run;   /* the run to which the counts belong */
    verso__counts counts; /* including work after the last restart point */
} verso__lock_note;

/* Takes the lock. Returns VERSO_STATUS_BUSY if another process holds it; the message names that process if known.
 * Keeps the counts of the previous note. */
verso_status verso__lock_take(const verso__system *system, const char *path, verso__lock **lock, verso_error *error);
/* Writes the note, without sync. All doubles must be finite, or the note cannot be read. */
verso_status verso__lock_write(verso__lock *lock, const verso_progress *progress, verso_error *error);
/* Sets the counts for the next note. */
void verso__lock_count(verso__lock *lock, verso_identity run, const verso__counts *counts);
/* Returns the counts in the note if they belong to `run`, else NULL. */
const verso__counts *verso__lock_counts(const verso__lock *lock, verso_identity run);
/* Releases the lock. The file stays: if it were removed, two processes could each hold a lock on a file of this
 * name. No-op on NULL. */
void verso__lock_release(verso__lock *lock);

/* Reads the note without taking the lock and changes nothing. Retries for some milliseconds while the lock is held.
 * Sets *held if a process holds the lock. An invalid note is returned as zeros. Returns VERSO_STATUS_STATE if the
 * file does not exist. */
verso_status verso__lock_read(const verso__system *system, const char *path, verso__lock_note *note, bool *held,
                              verso_error *error);
/* Reads a note from bytes. Returns false if they are not a valid note. For verso__lock_read and the fuzzer. */
bool verso__lock_parse(const void *bytes, size_t size, verso__lock_note *note);

#endif
