/* The journal of a durable run: a file of checksummed records, appended to, and compacted when it has become large.
 * What it holds and what it may be trusted
 * for is numbered at the top of journal.c. The capsules are elsewhere (store/); the journal says from which of them,
 * and with which place in the schedule, a run can be continued. */
#ifndef VERSO_DRIVE_JOURNAL_H
#define VERSO_DRIVE_JOURNAL_H

#include "base/status.h"
#include "base/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/capsule.h>
#include <verso/identity.h>
#include <verso/run.h>
#include <verso/schedule.h>

/* What the first record says. */
typedef struct verso_journal_head {
    verso_identity program;
    verso_identity run;  /* random: capsules of an older run in the same place are not this run's */
    verso_identity base; /* checksum of x_0: the program must start from the same state */
    double started;      /* seconds since 1970 */
    uint64_t capsule_size, adjoint_size;
    verso_place places[VERSO_TIERS_MAX];
    char reason[VERSO_REASON_MAX]; /* why `automatic` chose this schedule */
} verso_journal_head;

/* What a slot holds: the state x_from (to = from), or the record of [from, to). */
typedef struct verso_live {
    uint32_t tier;
    uint64_t slot;
    uint64_t from, to;
} verso_live;

/* Counted since the run began, in all processes, up to a restart point. */
typedef struct verso_counts {
    verso_wide work_forward, work_reversed; /* that the schedule asked for */
    verso_wide forward_steps, reversed_steps, recovered_steps;
    uint64_t recovered_capsules;
    uint64_t writes[VERSO_TIERS_MAX], reads[VERSO_TIERS_MAX];
    uint64_t adjoint_stores;
    uint64_t reached;
    double seconds;
} verso_counts;

/* A restart point. It is written only when all that it refers to in durable stores is durable. */
typedef struct verso_commit {
    uint64_t number;      /* 1, 2, 3, … */
    bool suspended;       /* the run ended here in good order */
    uint64_t adjoint;     /* step of the adjoint capsule; VERSO_UNKNOWN: the adjoint has not begun */
    uint64_t working;     /* step of the working state; VERSO_UNKNOWN: unspecified */
    verso_action pending; /* handed out by the schedule but not done yet; DONE: none */
    verso_counts counts;
    const unsigned char *cursor; /* of the schedule, after `pending` */
    size_t cursor_size;
    const verso_live *live;
    size_t live_count;
} verso_commit;

/* ---- Reading ---- */

/* Several may be at one adjoint (a run that is suspended again and again in a long stretch); an older adjoint should
 * still be among them. */
enum { VERSO_COMMITS_KEPT = 16 };

typedef struct verso_journal_contents {
    verso_journal_head head;
    verso_commit commits[VERSO_COMMITS_KEPT]; /* the newest, newest first; owned */
    size_t commit_count;
    uint64_t restarts; /* how often the run was continued */
    bool done;         /* commits[0] is the end: its adjoint is that of x_0 */
    bool continued;    /* a process has gone on from commits[0] (or from the start), and come to no commit of its own */
    uint64_t bytes;    /* of the file */
    uint64_t trusted;  /* bytes that hold; the rest is a torn or damaged tail */
    bool damaged;      /* the tail is more than one record, which is all that a crash tears */
    uint64_t records;  /* in those bytes … */
    verso_identity chain; /* … and the checksum of the last of them, on which the next one is chained */
} verso_journal_contents;

/* VERSO_STATE when there is no journal. VERSO_CORRUPT when not even its head holds, also when it has a newer format
 * (the message says so); a torn or damaged tail is no error: `trusted` < `bytes`. */
verso_status verso_journal_read(const verso_system *system, const char *path, verso_journal_contents *contents,
                                verso_error *error);
/* The same from bytes: what the fuzzer calls. */
verso_status verso_journal_parse(const void *bytes, size_t size, const char *path, verso_journal_contents *contents,
                                 verso_error *error);
void verso_journal_contents_free(verso_journal_contents *contents);

/* ---- Writing ---- */

typedef struct verso_journal verso_journal;

/* A new one with its head, durable when this returns (under its name from the first moment that it is whole). */
verso_status verso_journal_create(const verso_system *system, const char *path, const verso_journal_head *head,
                                  verso_journal **journal, verso_error *error);
/* Goes on after what can be trusted of `contents`, which were read from it: the rest is cut off, and when it is
 * `damaged` kept beside the journal, as PATH.damaged, in the place of an older one. Appends a record that the run is
 * continued from commits[from]: readers then know neither newer commits nor that the run was done. `from` =
 * commit_count: from the start, x_0 (a run may die, or be called back by others, before its first commit). */
verso_status verso_journal_continue(const verso_system *system, const char *path,
                                    const verso_journal_contents *contents, size_t from, verso_journal **journal,
                                    verso_error *error);
/* Appends and syncs, and compacts the file when it has become large. Numbers follow each other, after what the run was
 * continued from. VERSO_INVALID: it contradicts itself, nothing is written. After a write or a sync that failed every
 * later append fails, too. */
verso_status verso_journal_commit(verso_journal *journal, const verso_commit *commit, bool done, verso_error *error);
void verso_journal_close(verso_journal *journal); /* NULL is nothing */

#endif
