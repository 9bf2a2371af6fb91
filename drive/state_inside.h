/* The state of a run: slots, vault, clock, and the struct that has all of it. Private to drive/. */
#ifndef DRIVE_STATE_INSIDE_H
#define DRIVE_STATE_INSIDE_H

#include "base/status.h"
#include "base/system.h"
#include "base/worker.h"
#include "drive/directory.h"
#include "drive/journal.h"
#include "drive/lock.h"
#include "schedule/cost.h"

#include <verso/run.h>

/* ---- What slots hold ---- */

typedef enum verso__presence { VERSO_SLOT_EMPTY, VERSO_SLOT_PRESENT, VERSO_SLOT_MISSING } verso__presence;

typedef struct verso__slot {
    /* a state x_from (to = from), or the record of [from, to), which a loop keeps as the state x_from */
    uint64_t from, to;
    verso__presence presence;
} verso__slot;

typedef struct verso__tier_slots {
    verso__slot *slots;
    size_t capacity;
    size_t used;    /* number of slots that are not EMPTY */
    size_t missing; /* number of slots that are MISSING */
} verso__tier_slots;

/* ---- The vault ---- */

/* A state in a file. */
typedef struct verso__vault_entry {
    uint64_t step;
    uint64_t since; /* number of the last restart point before it was written; that restart point does not need it */
    uint32_t live;  /* number of slots that hold it */
    bool kept;      /* kept for a restart: x_0, or a state that a suspended or interrupted run left */
    bool safe;      /* the working state of the last restart point */
    bool waiting;   /* to be removed after the next restart point */
    bool damaged;   /* could not be read; counts as absent until it is written again */
} verso__vault_entry;

typedef struct verso__vault {
    verso_store store;           /* store.operations is NULL if the run has no files */
    verso__vault_entry *entries; /* in ascending order of step */
    size_t count, capacity;
    size_t kept;    /* number of entries that are `kept`, without x_0 */
    size_t waiting; /* number of entries that are `waiting` */
} verso__vault;

/* ---- A run ---- */

/* Clock, limits and time measurements of a run. Times are in seconds; moments are those of verso__now. */
typedef struct verso__pace {
    uint64_t fuel;      /* steps until the next check of the clock */
    uint64_t fuel_size; /* value of `fuel` after the last check */
    double began, checked, progressed, noted,
        sampled;                             /* moments of the start and of the last check, callback, note, sample */
    double committed;                        /* moment of the last restart point */
    double sample_gap;                       /* seconds between two samples of memory use */
    bool stop;                               /* the run shall be suspended */
    bool due;                                /* a restart point is due */
    bool catching;                           /* signals are being caught */
    int signal;                              /* the signal that was caught; 0: none */
    double seconds;                          /* duration of this process, set when it ends */
    uint32_t sample;                         /* number of actions, of which only some are timed */
    double forward_seconds, reverse_seconds; /* duration of the timed actions */
    double copy_seconds;                     /* duration of the timed copies */
    double drained;                          /* time spent waiting for the worker and opening files */
    uint64_t forward_timed, reverse_timed;   /* number of steps in the timed actions */
    uint64_t copies_timed, copies;           /* copies of states to and from memory: timed ones, and all */
    uint64_t forward_steps, reverse_steps;   /* steps that this process has run */
} verso__pace;

/* A run. */
typedef struct verso__drive {
    const verso_program *program;
    const verso_run_options *options;
    const verso__system *system;
    verso_run_report *report;
    char *directory; /* absolute path, because a callback may change the working directory; NULL: none */

    verso_schedule *schedule;
    verso__cost cost;              /* predicted cost; all 0 while the number of steps is unknown */
    uint64_t steps;                /* number of steps; VERSO_UNKNOWN until it is known */
    uint64_t expected_work;        /* forward and reversed steps if the program has options->steps_expected steps */
    char reason[VERSO_REASON_MAX]; /* why `automatic` chose the schedule */
    size_t capsule_size, adjoint_size;
    uint64_t vault_memory; /* part of the memory budget for buffers of files, in bytes; 0: no limit */

    size_t tier_count;
    verso_store *tiers[VERSO_TIERS_MAX]; /* store of each tier; &vault.store if the tier is in files */
    verso_store owned[VERSO_TIERS_MAX];  /* memory stores that the run has opened and closes */
    verso__tier_slots slots[VERSO_TIERS_MAX];
    verso__vault vault;
    verso__worker *worker; /* writes files; NULL: the run has no files */

    uint64_t working, adjoint; /* see invariant 1 of inside.h */
    verso_action pending;      /* action taken from the schedule and not yet done; DONE: none */
    verso__counts counts;

    bool durable;
    char *lock_path, *journal_path, *capsules_path;
    verso__lock *lock;
    verso__journal *journal;
    verso__journal_head head;
    verso__journal_contents contents; /* journal of a continued run, until the tiers are open; then empty */
    size_t from;                      /* index of the restart point in `contents` from which the run continues */
    uint64_t commit_number;           /* number of the last restart point */
    /* steps of the adjoint capsules of the last restart points, newest first */
    uint64_t adjoint_stored[VERSO_COMMITS_KEPT];
    uint64_t safe;                      /* step of the state in the vault that is `safe`; VERSO_UNKNOWN: none */
    uint64_t restarts;                  /* how often the run was continued */
    uint64_t begun_anew;                /* how often the run began anew in this process */
    _Atomic uint32_t commits_under_way; /* restart points submitted to the worker and not yet durable */
    /* The following describe the last restart point that is durable; the worker's thread writes them. */
    _Atomic uint64_t committed_steps; /* steps of this process when it was begun */
    _Atomic double committed_at;      /* moment when it was begun */
    _Atomic double commit_seconds;    /* seconds from then until it was durable, including the adjoint */
    bool used_up;                     /* a state in a file has just been used for the last time */
    bool leftovers;                   /* a process of the group keeps states that an interrupted run left */
    bool hint;                        /* the capsule to be read next has changed, so the store needs a new hint */
    verso_error loss; /* why the last unreadable state could not be read; its status is OK if all could */

    verso__pace pace;
} verso__drive;

#endif
