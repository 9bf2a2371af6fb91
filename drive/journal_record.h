/* The parts of a journal as bytes: its header, the frame of its records (length, type, number, checksum) and what each
 * type carries. Private to the journal; journal.c says what records mean. */
#ifndef VERSO_DRIVE_JOURNAL_RECORD_H
#define VERSO_DRIVE_JOURNAL_RECORD_H

#include "base/file.h"
#include "drive/journal.h"

/* ---- The file ---- */

enum { VERSO_JOURNAL_HEADER = 3 * 8 }; /* bytes before the first record */

void verso_journal_put_header(unsigned char header[VERSO_JOURNAL_HEADER]);
verso_status verso_journal_check_header(const unsigned char *bytes, size_t size, const char *path, verso_error *error);

/* Opens a journal that is there; VERSO_STATE when there is none, which is no failure of the machine. */
verso_status verso_journal_open_existing(const verso_system *system, const char *path, int flags, verso_file *file,
                                         verso_error *error);

/* ---- Frames ---- */

/* Numbers are in files: append, never renumber. */
typedef enum verso_record_type {
    VERSO_RECORD_HEAD = 1,
    VERSO_RECORD_COMMIT = 2,
    VERSO_RECORD_CONTINUED = 3,
    VERSO_RECORD_EARLIER = 4,
} verso_record_type;

enum {
    VERSO_RECORD_BEFORE = 3 * 8, /* bytes of the frame before the payload … */
    VERSO_RECORD_AFTER = 2 * 8,  /* … and behind it */
    VERSO_RECORD_FRAME = VERSO_RECORD_BEFORE + VERSO_RECORD_AFTER,
};

typedef struct verso_record {
    uint64_t type;
    const unsigned char *payload; /* where it lies in the bytes that were given */
    size_t payload_size;
} verso_record;

/* Frames the payload that lies at record + VERSO_RECORD_BEFORE. `chain` is the checksum of the record before, and then
 * of this one. */
void verso_record_seal(unsigned char *record, verso_record_type type, uint64_t number, size_t payload_size,
                       verso_identity *chain);
/* False when the bytes do not begin with a whole record of this number that is chained on `chain`. */
bool verso_record_open(const unsigned char *bytes, size_t size, uint64_t number, verso_identity *chain,
                       verso_record *record);

/* False when these bytes, which are no record that holds, are more than a crash leaves of one of this number. */
bool verso_record_may_be_torn(const unsigned char *bytes, size_t size, uint64_t number);

/* ---- Payloads: their size, writing, reading ---- */

/* Reading is false for a payload that no correct writer wrote; what it has filled in then means nothing. */

size_t verso_record_head_size(const verso_journal_head *head);
void verso_record_put_head(unsigned char *payload, const verso_journal_head *head);
bool verso_record_get_head(const verso_record *record, verso_journal_head *head);

size_t verso_record_commit_size(const verso_commit *commit);
void verso_record_put_commit(unsigned char *payload, const verso_commit *commit, bool done);
/* The cursor is where it lies in the record; `live` is NULL, but checked and counted. */
bool verso_record_get_commit(const verso_record *record, verso_commit *commit, bool *done);
/* Gives a commit that has just been read from the record a cursor and a list of its own, in one block that begins with
 * the list. */
verso_status verso_record_own_commit(const verso_record *record, verso_commit *commit, verso_error *error);
void verso_record_disown_commit(verso_commit *commit);

typedef struct verso_continued {
    uint64_t from; /* number of the commit; 0: from the start */
    double date;   /* seconds since 1970 */
    uint64_t pid;
} verso_continued;

enum { VERSO_RECORD_CONTINUED_SIZE = 3 * 8 };

void verso_record_put_continued(unsigned char *payload, const verso_continued *continued);
bool verso_record_get_continued(const verso_record *record, verso_continued *continued);

/* What a compacted journal has left out. */
typedef struct verso_earlier {
    uint64_t commits;  /* number of the commit before its first one */
    uint64_t restarts; /* continuations that it does not hold */
} verso_earlier;

enum { VERSO_RECORD_EARLIER_SIZE = 2 * 8 };

void verso_record_put_earlier(unsigned char *payload, const verso_earlier *earlier);
bool verso_record_get_earlier(const verso_record *record, verso_earlier *earlier);

#endif
