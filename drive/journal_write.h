/* A journal that is being written: what journal.c (appending) and journal_whole.c (whole files at once) share. */
#ifndef VERSO_DRIVE_JOURNAL_WRITE_H
#define VERSO_DRIVE_JOURNAL_WRITE_H

#include "drive/journal_record.h"

/* A file, and what the next record in it follows. */
typedef struct verso_journal_output {
    verso_file file;
    verso_identity chain; /* of the last record */
    uint64_t records, bytes;
} verso_journal_output;

/* The payload of a commit that a compacted file would hold. */
typedef struct verso_kept_commit {
    unsigned char *payload;
    size_t size;
    uint64_t adjoint;
} verso_kept_commit;

struct verso_journal {
    verso_journal_output out;
    verso_journal_head head;
    verso_kept_commit kept[VERSO_COMMITS_KEPT]; /* oldest first */
    size_t kept_count;
    uint64_t commits, restarts;
    bool done;
    bool continued; /* the last record is `continuation` */
    verso_continued continuation;
    uint64_t again;      /* compacting has failed: it is not tried again before the file has so many bytes */
    verso_error failure; /* of the first append that failed; OK: none has */
    unsigned char *record;
    size_t capacity; /* of `record` */
    char *directory;
    char *temporary, *damaged; /* other paths, which lie behind this one */
    char path[];
};

/* Only the newest commits are kept, see journal_whole.c. `payload` is the journal's from now on. */
void verso_journal_keep(verso_journal *journal, unsigned char *payload, size_t size, uint64_t adjoint);
/* How many of `count` commits would be kept, the newest of them being commits[0]. */
size_t verso_journal_kept_of(const verso_commit *commits, size_t count);

/* Writes all that the journal knows to a new file, which takes its name. VERSO_INVALID: its head contradicts itself. */
verso_status verso_journal_write_first(verso_journal *journal, verso_error *error);
/* The same in the place of a file that has become large; otherwise nothing. That there is no room for it is no error:
 * the file is then appended to as before. */
verso_status verso_journal_compact(verso_journal *journal, verso_error *error);

/* Files are compacted that are larger than `bytes` and than `growth` times what would be left: 1 MiB and 8 unless a
 * test says otherwise. */
void verso_journal_set_limits(uint64_t bytes, uint64_t growth);

#endif
