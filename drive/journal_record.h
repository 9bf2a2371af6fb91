/* Encodes and decodes the parts of a journal: its header, the frame of a record (length, type, number, checksum)
 * and the payload of each type. Private to the journal; journal.c says what the records mean. */
#ifndef VERSO_DRIVE_JOURNAL_RECORD_H
#define VERSO_DRIVE_JOURNAL_RECORD_H

#include "base/file.h"
#include "base/words.h"
#include "drive/journal.h"

/* ---- The file ---- */

enum { VERSO_JOURNAL_HEADER = 3 * 8 }; /* bytes before the first record */

void verso__journal_put_header(unsigned char header[VERSO_JOURNAL_HEADER]);
/* Returns VERSO_STATUS_CORRUPT, with a message that names `path`, unless the bytes begin with a valid header of
 * this version. */
verso_status verso__journal_check_header(const unsigned char *bytes, size_t size, const char *path, verso_error *error);

/* Opens an existing journal. Returns VERSO_STATUS_STATE if there is none. */
verso_status verso__journal_open_existing(const verso__system *system, const char *path, int flags, verso__file *file,
                                          verso_error *error);

/* ---- Frames ---- */

/* These numbers are stored in files: only append. */
typedef enum verso__record_type {
    VERSO_RECORD_HEAD = 1,
    VERSO_RECORD_COMMIT = 2,
    VERSO_RECORD_CONTINUED = 3,
    VERSO_RECORD_EARLIER = 4,
} verso__record_type;

enum {
    VERSO_RECORD_BEFORE = 3 * 8, /* bytes of the frame before the payload */
    VERSO_RECORD_AFTER = 2 * 8,  /* bytes of the frame after the payload */
    VERSO_RECORD_FRAME = VERSO_RECORD_BEFORE + VERSO_RECORD_AFTER,
};

typedef struct verso__record {
    uint64_t type;
    const unsigned char *payload; /* points into the bytes that were read */
    size_t payload_size;
} verso__record;

/* Writes the frame around the payload that is already at record + VERSO_RECORD_BEFORE. `chain` is the checksum of
 * the previous record and is replaced by that of this record. */
void verso__record_seal(unsigned char *record, verso__record_type type, uint64_t number, size_t payload_size,
                        verso_identity *chain);
/* Reads a record. Returns false unless the bytes begin with a complete record of this number whose checksum is
 * chained on `chain`; on success replaces *chain by its checksum. */
bool verso__record_open(const unsigned char *bytes, size_t size, uint64_t number, verso_identity *chain,
                        verso__record *record);

/* Given bytes that do not begin with a valid record, returns false if they cannot be the torn record `number` that
 * a crash may leave. */
bool verso__record_may_be_torn(const unsigned char *bytes, size_t size, uint64_t number);

/* ---- Counts: part of a commit, and of the note beside a lock ---- */

enum { VERSO_COUNTS_WORDS = 6 * 2 + 1 + 2 * VERSO_TIERS_MAX + 3 };

void verso__put_counts(unsigned char **at, const verso__counts *counts);
bool verso__take_counts(verso__words *words, verso__counts *counts);

/* ---- Payloads: their size, writing, reading ---- */

/* The functions that read return false for a payload that no correct writer has written; what they have filled in
 * is then unspecified. */

size_t verso__record_head_size(const verso__journal_head *head);
void verso__record_put_head(unsigned char *payload, const verso__journal_head *head);
bool verso__record_get_head(const verso__record *record, verso__journal_head *head);

size_t verso__record_commit_size(const verso__commit *commit);
void verso__record_put_commit(unsigned char *payload, const verso__commit *commit, bool done);
/* Reads a restart point. `cursor` points into the record; `live` is checked and counted but left NULL. */
bool verso__record_get_commit(const verso__record *record, verso__commit *commit, bool *done);
/* Replaces `cursor` and `live` of a restart point that was just read from `record` by copies that it owns, in one
 * block. */
verso_status verso__record_own_commit(const verso__record *record, verso__commit *commit, verso_error *error);
/* Frees these copies. */
void verso__record_disown_commit(verso__commit *commit);

typedef struct verso__continued {
    uint64_t from; /* number of the restart point; 0: from the start */
    double date;   /* when the run was continued, in seconds since 1970 */
    uint64_t pid;  /* of the process that continued it */
} verso__continued;

enum { VERSO_RECORD_CONTINUED_SIZE = 3 * 8 };

void verso__record_put_continued(unsigned char *payload, const verso__continued *continued);
bool verso__record_get_continued(const verso__record *record, verso__continued *continued);

/* What a compacted journal omits. */
typedef struct verso__earlier {
    uint64_t commits;  /* number of the last omitted restart point */
    uint64_t restarts; /* number of omitted continuations */
} verso__earlier;

enum { VERSO_RECORD_EARLIER_SIZE = 2 * 8 };

void verso__record_put_earlier(unsigned char *payload, const verso__earlier *earlier);
bool verso__record_get_earlier(const verso__record *record, verso__earlier *earlier);

#endif
