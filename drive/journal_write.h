/* A journal that is being written: shared by journal.c, which appends, and journal_whole.c, which writes whole
 * files. */
#ifndef VERSO_DRIVE_JOURNAL_WRITE_H
#define VERSO_DRIVE_JOURNAL_WRITE_H

#include "drive/journal_record.h"

/* A journal file and its current end. */
typedef struct verso__journal_output {
    verso__file file;
    verso_identity chain;    /* checksum of the last record */
    uint64_t records, bytes; /* number of records, and of bytes */
} verso__journal_output;

/* The encoded payload of a restart point that a compacted file would contain. */
typedef struct verso__kept_commit {
    unsigned char *payload;
    size_t size;
    uint64_t adjoint;
} verso__kept_commit;

struct verso__journal {
    verso__journal_output out;
    verso__journal_head head;
    verso__kept_commit kept[VERSO_COMMITS_KEPT]; /* restart points for a compacted file, oldest first */
    size_t kept_count;
    uint64_t commits, restarts; /* number of the last restart point; number of continuations */
    bool done;                  /* the run is done */
    bool continued;             /* the last record is `continuation` */
    verso__continued continuation;
    uint64_t compact_at;       /* file size at which compacting is tried again after a failure; 0: no failure */
    verso_error failure;       /* of the first append that failed; its status is OK if none has */
    unsigned char *record;     /* buffer for one record */
    size_t capacity;           /* size of `record` in bytes */
    char *directory;           /* that contains the journal */
    char *temporary, *damaged; /* paths of the temporary file and of a saved tail; in the same block as `path` */
    char path[];
};

/* Adds a restart point to `kept` and drops the old ones that a compacted file need not contain (see
 * journal_whole.c). Takes ownership of `payload`. */
void verso__journal_keep(verso__journal *journal, unsigned char *payload, size_t size, uint64_t adjoint);
/* Returns how many of `count` restart points, newest first, a compacted file would contain. */
size_t verso__journal_kept_of(const verso__commit *commits, size_t count);

/* Writes the whole journal to a new file and gives it the journal's name. Returns VERSO_STATUS_INVALID if the head
 * is inconsistent. */
verso_status verso__journal_write_first(verso__journal *journal, verso_error *error);
/* Compacts the file if it has become large. A failure that leaves the old file in place, such as a full disk, is
 * not an error: appending to the old file continues. */
verso_status verso__journal_compact(verso__journal *journal, verso_error *error);

/* Sets when files are compacted: if they are larger than `bytes` and than `growth` times the compacted size. The
 * defaults are 1 MiB and 8. For tests. */
void verso__journal_set_limits(uint64_t bytes, uint64_t growth);

#endif
