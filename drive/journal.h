/* The journal of a durable run: a file of checksummed records to which restart points are appended, and which is
 * compacted when it becomes large. It says from which capsules and from which position of the schedule a run can be
 * continued; the capsules themselves are in store/. The top of journal.c lists the format and its guarantees. */
#ifndef VERSO_DRIVE_JOURNAL_H
#define VERSO_DRIVE_JOURNAL_H

#include "base/status.h"
#include "base/system.h"
#include "base/wide.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/capsule.h>
#include <verso/identity.h>
#include <verso/run.h>
#include <verso/schedule.h>

/* The contents of the first record. */
typedef struct verso__journal_head {
    verso_identity program;
    /* random identity, which distinguishes capsules of this run from those of an older run in the same directory */
    verso_identity run;
    verso_identity base; /* checksum of x_0; a program that continues the run must start from the same state */
    double started;      /* when the run began, in seconds since 1970 */
    uint64_t capsule_size, adjoint_size; /* largest expected sizes in bytes */
    verso_place places[VERSO_TIERS_MAX]; /* where each tier is kept */
    char reason[VERSO_REASON_MAX];       /* why `automatic` chose this schedule; empty if the caller gave it */
} verso__journal_head;

/* A slot in use. It holds the state x_from (to = from), or the record of [from, to). */
typedef struct verso__live {
    uint32_t tier;
    uint64_t slot;
    uint64_t from, to;
} verso__live;

/* Counts over all processes of the run up to a restart point. What a process did after its last restart point
 * before it died is included from the next restart point on, as far as it is known. */
typedef struct verso__counts {
    verso__wide work_forward, work_reversed; /* steps that the schedule asked for */
    verso__wide forward_steps, reversed_steps, recovered_steps;
    verso__wide lost_steps; /* steps after the last restart point of processes that died */
    uint64_t recovered_capsules;
    uint64_t writes[VERSO_TIERS_MAX], reads[VERSO_TIERS_MAX];
    uint64_t adjoint_stores;
    uint64_t reached; /* the furthest state so far is x_reached */
    double seconds;
} verso__counts;

/* A restart point. It is written only after all capsules in files that it refers to are durable. */
typedef struct verso__commit {
    uint64_t number;      /* 1, 2, 3, … */
    bool suspended;       /* the run was suspended here */
    uint64_t adjoint;     /* step of the adjoint capsule; VERSO_UNKNOWN before the reversal has begun */
    uint64_t working;     /* step of the working state; VERSO_UNKNOWN: unspecified */
    verso_action pending; /* action taken from the schedule and not yet done; DONE: none */
    verso__counts counts;
    const unsigned char *cursor; /* saved position of the schedule, after `pending` */
    size_t cursor_size;
    const verso__live *live; /* slots in use */
    size_t live_count;
} verso__commit;

/* ---- Reading ---- */

/* Number of newest restart points that a reader returns. It is this large because many restart points may have the
 * same adjoint (a run that is suspended repeatedly in a long stretch), and one with an older adjoint should still
 * be among them. */
enum { VERSO_COMMITS_KEPT = 16 };

typedef struct verso__journal_contents {
    verso__journal_head head;
    verso__commit commits[VERSO_COMMITS_KEPT]; /* the newest restart points, newest first; owned */
    size_t commit_count;
    uint64_t restarts; /* how often the run was continued */
    bool done;         /* the run is done, and commits[0] has the adjoint of x_0 */
    /* a process has continued from commits[0] (or from the start) and has made no restart point since */
    bool continued;
    uint64_t bytes;       /* size of the file in bytes */
    uint64_t trusted;     /* number of leading bytes that are valid; the rest is a torn or damaged tail */
    bool damaged;         /* the tail is longer than one record, so a crash alone cannot have caused it */
    uint64_t records;     /* number of records in the valid bytes */
    verso_identity chain; /* checksum of the last valid record, on which the next one is chained */
} verso__journal_contents;

/* Reads a journal. Returns VERSO_STATUS_STATE if there is none, and VERSO_STATUS_CORRUPT if its head is damaged or
 * has a newer format (the message says which). A torn or damaged tail is not an error: `trusted` < `bytes`. On
 * success the caller calls verso__journal_contents_free. */
verso_status verso__journal_read(const verso__system *system, const char *path, verso__journal_contents *contents,
                                 verso_error *error);
/* Reads a journal that is in memory; for verso__journal_read and the fuzzer. */
verso_status verso__journal_parse(const void *bytes, size_t size, const char *path, verso__journal_contents *contents,
                                  verso_error *error);
void verso__journal_contents_free(verso__journal_contents *contents);

/* ---- Writing ---- */

typedef struct verso__journal verso__journal;

/* Creates a journal that contains only the head. It is durable on return, and its name never refers to an
 * incomplete file. */
verso_status verso__journal_create(const verso__system *system, const char *path, const verso__journal_head *head,
                                   verso__journal **journal, verso_error *error);
/* Opens an existing journal, from which `contents` were read, to append to it. Cuts off an invalid tail; if the
 * tail is `damaged`, first saves it as PATH.damaged, replacing an older one. Then appends a record that the run
 * continues from commits[from]: readers ignore newer restart points and that the run was done. from = commit_count
 * continues from the start, x_0 (a run may die, or have to go back with its group, before its first restart point). */
verso_status verso__journal_continue(const verso__system *system, const char *path,
                                     const verso__journal_contents *contents, size_t from, verso__journal **journal,
                                     verso_error *error);
/* Appends a restart point and syncs, then compacts the file if it has become large. commit->number must follow the
 * number of the previous restart point, or of the one from which the run was continued. Returns
 * VERSO_STATUS_INVALID and writes nothing if the restart point is inconsistent. After a failed write or sync, all
 * later calls fail. */
verso_status verso__journal_commit(verso__journal *journal, const verso__commit *commit, bool done, verso_error *error);
void verso__journal_close(verso__journal *journal); /* no-op on NULL */

#endif
