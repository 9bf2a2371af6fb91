/* The log of the outside world (world.h) of a durable run, as a file in the run's directory. Without an open file, the
 * functions below accept everything and write nothing. Offsets count from the beginning of the log. */
#ifndef NATIVE_RUN_LOG_H
#define NATIVE_RUN_LOG_H

#include "native/memory/memory.h"

typedef struct verso__native_log verso__native_log;
/* Where the log is, and which run it belongs to. */
typedef struct verso__native_log_place {
    const struct verso__system *system;
    const char *directory;
    bool continued; /* the run in the directory is continued, so that its log must exist */
    uint64_t seed;  /* seed of the checksums, computed from what the run depends on */
} verso__native_log_place;

/* Opens the log, and reads the entries of earlier processes. Close it also after a failure. */
verso_status verso__native_log_open(const verso__native_log_place *place, verso_error *error);
/* No-op if no log is open. */
void verso__native_log_close(void);
/* Returns the descriptor of the log's file, and sets *before to the offset of the first entry in it. */
int verso__native_log_file(uint64_t *before);
/* Returns true in a durable run. */
bool verso__native_log_is_open(void);
/* Returns VERSO_STATUS_CORRUPT with a message that the file `path` of a run cannot be used because of `why`. */
verso_status verso__native_report_unusable(const char *path, const char *why, verso_error *error);
/* Returns a checksum of all entries before the offset `at`; 0 without a file. */
uint64_t verso__native_log_chain(uint64_t at);
/* Returns true if the log has entries up to `at`, and their checksum is `chain`. True without a file. */
bool verso__native_log_has(uint64_t at, uint64_t chain);
/* Returns VERSO_STATUS_INVALID with the message that the log lacks entries which a capsule refers to. */
verso_status verso__native_log_report_missing(verso_error *error);
/* Returns true if an earlier process wrote the entry at `at`. */
bool verso__native_log_inherited(uint64_t at);
/* Refuses the run if the current call, which is about to be made, depends on changes that an earlier process made to
 * itself (working directory, signals, locale). Private stack only. */
void verso__native_log_check_process(void);
/* Records that the current call is one of a foreign function. Refuses the run if the program uses what the call did
 * (`answers`) and an earlier process has called foreign functions, whose own state is lost. Private stack only. */
void verso__native_log_foreign(bool answers);
/* Returns the checksum that ends the current entry of `size` bytes. */
uint64_t verso__native_log_seal(const char *entry, size_t size);
/* Appends the current entry to the file. Private stack only. */
void verso__native_log_append(void);
/* Calls `visit` for each entry that consists of items, in order: `size` bytes at `items`, of an entry that begins at
 * the offset `at`. */
typedef void verso__native_log_visit(void *context, uint64_t at, const char *items, uint64_t size);
void verso__native_log_each(verso__native_log_visit *visit, void *context);
/* Removes all entries from the offset `at` on, durably. */
verso_status verso__native_log_cut(uint64_t at, verso_error *error);
/* Makes the log durable. To be called before a capsule leaves the process. */
verso_status verso__native_log_sync(verso_error *error);

#endif
