/* The driver, inside. Private to drive/.
 *
 *   run      verso_run: from options to a result; what all parts share
 *   tiers    what backs each tier, within the budgets of memory and disk
 *   choose   which schedule, when the user leaves it to us
 *   play     applies the schedule's actions one by one
 *   slots    what each slot of each tier holds
 *   vault    the capsules in files: which there are, and what each is still needed for
 *   recover  a state that should be there and is not, computed again from an older one
 *   restart  restart points: when they are made, and how
 *   reopen   a directory: a new run in it, or continuing from a restart point
 *   abandon  a directory that shall hold no run any more
 *   stray    capsules without a journal
 *   pace     clock, limits, signals, progress
 *   report_* what happened
 *
 * Invariants
 *  1. `working` says what the program's state truly is (VERSO_UNKNOWN: anything), `adjoint` likewise. Every action asks
 *     for the working state it needs and gets it, if need be by recomputing.
 *  2. A slot is EMPTY, PRESENT or MISSING. MISSING is what a schedule believes to be stored and what is not there: lost
 *     with the memory of a process that died, or damaged. It is computed again when it is asked for, and with it every
 *     other missing state that lies on the way.
 *  3. A state in the vault is x_s whoever wrote it (a run is deterministic), so what is already there is never written
 *     again, and what an interrupted stretch left is jumped to.
 *  4. In a durable run the state x_0 stays in the vault until the run is done. So everything can be computed again.
 *  5. A state that is used up leaves the vault only after a restart point that does not need it. One that was written
 *     since the last restart point leaves at once; most of those are never written to their files.
 *  6. Everything that changes files goes through one worker in the order of submission: what a restart point refers to
 * is durable before it, what it makes superfluous is removed after it.
 *  7. In a group every decision that is not a function of the schedule alone is made with `least`, by all at the same
 *     action. Fuel counts steps, so that the clock is asked at the same step everywhere.
 *  8. The runs of a group have one identity, made when they begin. Members whose identities differ (one has lost its
 *     directory, or begun anew alone before it died) begin anew together. Members are at most one restart point apart,
 *     and restart points of one number are at one place of the schedule. */
#ifndef VERSO_DRIVE_DRIVE_H
#define VERSO_DRIVE_DRIVE_H

#include "base/status.h"
#include "base/system.h"
#include "base/worker.h"
#include "drive/journal.h"
#include "drive/lock.h"

#include <verso/run.h>

/* ---- What slots hold ---- */

typedef enum verso_presence { VERSO_SLOT_EMPTY, VERSO_SLOT_PRESENT, VERSO_SLOT_MISSING } verso_presence;

typedef struct verso_slot {
    uint64_t from, to; /* a state (to = from) or the record of [from, to), which a loop keeps as the state x_from */
    verso_presence presence;
} verso_slot;

typedef struct verso_tier_slots {
    verso_slot *slots;
    size_t capacity;
    size_t used; /* slots that are not EMPTY */
    size_t missing;
} verso_tier_slots;

/* ---- The vault ---- */

typedef struct verso_vault_entry {
    uint64_t step;
    uint64_t since; /* the number of the last restart point before it was written: that one does not need it */
    uint32_t live;  /* slots that hold it */
    bool kept;      /* x_0, or what a suspended or interrupted run left */
    bool safe;      /* the working state of the last restart point */
    bool waiting;   /* to be removed after the next restart point */
    bool damaged;   /* it could not be read: as if it were not there, until it is written again */
} verso_vault_entry;

typedef struct verso_vault {
    verso_store store;          /* operations NULL: there are no files */
    verso_vault_entry *entries; /* ascending steps */
    size_t count, capacity;
    size_t kept; /* entries that are kept, x_0 aside */
    size_t waiting;
} verso_vault;

/* ---- A run ---- */

/* When to look at the clock, and what was seen. */
typedef struct verso_pace {
    uint64_t fuel;      /* steps until the clock is asked */
    uint64_t fuel_size; /* what it was filled with */
    double began, checked, progressed, noted, sampled;
    double committed; /* the last restart point */
    double sample_gap;
    bool stop;                               /* it is time to suspend */
    bool due;                                /* it is time for a restart point */
    bool catching;                           /* signals are caught */
    int signal;                              /* the one that came; 0: none */
    double seconds;                          /* of this process, once it has ended */
    uint32_t sample;                         /* actions, to time one of many */
    double forward_seconds, reverse_seconds; /* of the timed ones */
    double copy_seconds;
    double drained;                        /* seconds of waiting for the worker, and of opening files */
    uint64_t forward_timed, reverse_timed; /* steps in them */
    uint64_t copies_timed, copies;         /* states into and out of memory */
    uint64_t forward_steps, reverse_steps; /* of this process */
} verso_pace;

typedef struct verso_drive {
    const verso_program *program;
    const verso_run_options *options;
    const verso_system *system;
    verso_run_report *report;
    char *directory; /* absolute: a callback may change the working directory; NULL: none */

    verso_schedule *schedule;
    verso_cost cost; /* predicted; steps = 0 and all 0 while the number of steps is not known */
    uint64_t steps;  /* VERSO_UNKNOWN */
    char reason[VERSO_REASON_MAX];
    size_t capsule_size, adjoint_size;
    uint64_t vault_memory; /* bytes of the budget that buffers of files may take; 0: no limit */

    size_t tier_count;
    verso_store *tiers[VERSO_TIERS_MAX]; /* &vault.store for a tier in files */
    verso_store owned[VERSO_TIERS_MAX];
    verso_tier_slots slots[VERSO_TIERS_MAX];
    verso_vault vault;
    verso_worker *worker; /* NULL: no files */

    uint64_t working, adjoint;
    verso_action pending; /* taken from the schedule and not done; DONE: none */
    verso_counts counts;

    bool durable;
    char *lock_path, *journal_path, *capsules_path;
    verso_lock *lock;
    verso_journal *journal;
    verso_journal_head head;
    verso_journal_contents contents; /* of a continued run, until the tiers are open; then empty */
    size_t from;                     /* the restart point among them */
    uint64_t commit_number;
    uint64_t
        adjoint_stored[VERSO_COMMITS_KEPT]; /* steps of the adjoint capsules of the last restart points, newest first */
    uint64_t safe;                          /* the one state in the vault that is `safe`; VERSO_UNKNOWN: none */
    uint64_t restarts;
    _Atomic uint32_t commits_under_way; /* submitted to the worker and not done */
    /* Of the last restart point that is durable, written by the worker: */
    _Atomic uint64_t committed_steps; /* steps of this process when it was begun */
    _Atomic double committed_at;      /* the time of that */
    _Atomic double commit_seconds;    /* from then until it was durable, the adjoint included */
    bool used_up;                     /* a state in a file has just been used for the last time */
    bool leftovers;                   /* someone of the group keeps states that an interrupted run left */
    bool hint;                        /* what will be read next has changed */
    verso_error loss;                 /* why a state could last not be read; OK: all could */

    verso_pace pace;
} verso_drive;

/* run.c */
__attribute__((format(printf, 2, 3))) void verso_drive_notice(verso_drive *drive, const char *format, ...);
/* The least of all processes' values; without a group the value itself. */
verso_status verso_drive_least(verso_drive *drive, uint64_t *value, verso_error *error);
/* True when it is true for all, or for any, of the group. */
verso_status verso_drive_all(verso_drive *drive, bool *value, verso_error *error);
verso_status verso_drive_any(verso_drive *drive, bool *value, verso_error *error);
/* The number of steps is known now: what it will cost. */
verso_status verso_drive_learn_cost(verso_drive *drive, verso_error *error);
uint64_t verso_drive_memory(const verso_drive *drive);
/* Waits until all that was submitted is on the disk. */
verso_status verso_drive_drain(verso_drive *drive, verso_error *error);
void verso_drive_progress(const verso_drive *drive, verso_progress *progress);

/* tiers.c */
/* Bytes that reversing so many steps at once takes. */
uint64_t verso_recording(const verso_drive *drive, uint64_t steps);
/* What buffers of files take of such a budget: a quarter, at most four of the largest capsules, but at least one. */
uint64_t verso_buffers_for(uint64_t memory, uint64_t largest);
/* The least budget that leaves so many bytes beside them. */
uint64_t verso_memory_for(uint64_t needed, uint64_t largest);
/* Of this run; 0: no limit. */
uint64_t verso_file_buffers(const verso_drive *drive, uint64_t memory);
/* The budget without the buffers of files and without the recording of `stretch` steps (VERSO_UNKNOWN: there is none):
 * VERSO_IMPOSSIBLE unless that is at least `states` bytes. */
verso_status verso_memory_left(const verso_drive *drive, uint64_t stretch, uint64_t states, uint64_t *left,
                               verso_error *error);
/* Bytes of files that a run needs at most whose slots in files are so many. */
uint64_t verso_disk_needed(const verso_drive *drive, uint64_t slots);
/* The schedule is there. */
verso_status verso_open_tiers(verso_drive *drive, verso_error *error);

/* report_fill.c */
void verso_fill_report(verso_drive *drive, bool done, bool suspended);

/* choose.c: fills `spec` and `reason`; the program is at x_0 before and after. */
typedef struct verso_room { /* what the budget leaves */
    uint64_t slots;         /* states in memory; VERSO_UNKNOWN: no limit */
    bool files;
} verso_room;
verso_status verso_choose(verso_drive *drive, const verso_room *room, verso_schedule_spec *spec, verso_error *error);

/* slots.c */
verso_slot *verso_slots_find(verso_drive *drive, uint32_t tier, uint64_t slot); /* NULL: EMPTY */
verso_status verso_slots_set(verso_drive *drive, const verso_live *live, verso_presence presence, verso_error *error);
void verso_slots_mark(verso_drive *drive, uint32_t tier, uint64_t slot, verso_presence presence);
/* All that are not EMPTY; *live is allocated. */
verso_status verso_slots_list(const verso_drive *drive, verso_live **live, size_t *count, verso_error *error);
/* The missing ones with after < from <= until, ascending; *live is allocated. */
verso_status verso_slots_missing(const verso_drive *drive, uint64_t after, uint64_t until, verso_live **live,
                                 size_t *count, verso_error *error);
/* Slots in the vault that hold x_step miss it now. */
void verso_slots_lose(verso_drive *drive, uint64_t step);
/* A slot should hold x_step, and it is missing there. */
bool verso_slots_misses(const verso_drive *drive, uint64_t step);
/* The highest state at or below `limit` that is PRESENT in a tier that is not the vault. */
bool verso_slots_highest(const verso_drive *drive, uint64_t limit, verso_live *found);
void verso_slots_free(verso_drive *drive);

/* vault.c. `add` is for what is already in the store. */
verso_vault_entry *verso_vault_find(verso_drive *drive, uint64_t step);     /* NULL: it is not there */
verso_vault_entry *verso_vault_at_most(verso_drive *drive, uint64_t limit); /* the highest not damaged; NULL: none */
verso_status verso_vault_add(verso_drive *drive, uint64_t step, verso_vault_entry **entry, verso_error *error);
/* Writes the working state x_step unless it is there. `must`: as verso_vault_capture does. */
verso_status verso_vault_put(verso_drive *drive, uint64_t step, bool must, verso_vault_entry **entry,
                             verso_error *error);
/* Into the store of the vault; where the limit of the disk leaves no room, states go that are only kept. Pointers to
 * entries do not survive it. */
verso_status verso_vault_capture(verso_drive *drive, const verso_capsule_name *name, verso_error *error);
/* It could not be read: no slot holds it any more. The file stays until there is something to replace it with, because
 * what failed may have been the moment and not the file. */
verso_status verso_vault_lose(verso_drive *drive, verso_vault_entry *entry, verso_error *error);
/* Nothing needs it any more: out of the store. */
verso_status verso_vault_remove(verso_drive *drive, verso_vault_entry *entry, verso_error *error);
/* Keeps it for a restart. */
void verso_vault_keep(verso_drive *drive, verso_vault_entry *entry);
/* Gives up what an interrupted run left and what nothing needs. */
verso_status verso_vault_tidy(verso_drive *drive, verso_error *error);
/* After one reason to keep it is gone: removes it, or lets it wait for the next restart point. */
verso_status verso_vault_settle(verso_drive *drive, verso_vault_entry *entry, verso_error *error);
/* After a restart point: removes what waits, and what was kept above the adjoint. */
verso_status verso_vault_sweep(verso_drive *drive, verso_error *error);
/* Empties a store: all states, and the adjoints but that of `but` (VERSO_UNKNOWN: all). */
verso_status verso_clear(const verso_store *store, uint64_t but, verso_error *error);
verso_status verso_vault_clear(verso_drive *drive, uint64_t but, verso_error *error);
void verso_vault_free(verso_drive *drive);

/* play.c */
verso_status verso_play(verso_drive *drive, verso_error *error);
/* Captures the program into a store, or resumes it from one. */
verso_status verso_capture_into(verso_drive *drive, const verso_store *store, const verso_capsule_name *name,
                                verso_error *error);
verso_status verso_resume_from(verso_drive *drive, const verso_store *store, const verso_capsule_name *name,
                               verso_error *error);
/* Whether an older state is a way out of this failure: what was to be read is damaged, unreadable or not there. */
static inline bool verso_is_lost(verso_status status) {
    return status == VERSO_CORRUPT || status == VERSO_IO || status == VERSO_STATE;
}
/* Out of a store that may have lost it. */
verso_status verso_discard_if_held(const verso_store *store, uint64_t step, uint64_t slot, verso_error *error);
/* Keeps the working state x_from in the slot that `live` names. */
verso_status verso_keep_in_slot(verso_drive *drive, const verso_live *live, verso_error *error);
/* Runs from the working state to x_to. VERSO_SUSPENDED when `may_stop` and it is time: the working state is then where
 * it got to. *ended: the computation ended before `to`. */
verso_status verso_run_to(verso_drive *drive, uint64_t to, bool may_stop, bool *ended, verso_error *error);

/* recover.c: makes x_step the working state, from the nearest older one that there is. */
verso_status verso_recover(verso_drive *drive, uint64_t step, verso_error *error);

/* reopen.c */
/* Takes the directory of a durable run and opens the vault. *continued: the run goes on from the newest restart point
 * that all of the group have; the schedule is there, the adjoint is loaded. *done: there is nothing left to do. */
verso_status verso_reopen(verso_drive *drive, bool *continued, bool *done, verso_error *error);
/* Goes on: which slots are there, and a record that the run is continued. The tiers are open, so nothing can be refused
 * any more. */
verso_status verso_reopen_slots(verso_drive *drive, verso_error *error);
/* A new run: x_0 into the vault, the journal, the first restart point. The tiers are open. */
verso_status verso_begin(verso_drive *drive, verso_error *error);
/* Lets go of the directory. */
void verso_reopen_close(verso_drive *drive);
/* VERSO_INVALID when a durable run lies in the directory: its capsules must not be taken for room. */
verso_status verso_refuse_run(verso_drive *drive, verso_error *error);
/* 128 bits that no other run has. */
verso_identity verso_new_run(const verso_drive *drive);
/* In `capsules_path`, for the run of `head`. */
verso_status verso_open_vault(verso_drive *drive, verso_error *error);

/* abandon.c */
/* Whether a run lies in the directory. */
verso_status verso_holds_run(const verso_system *system, const char *directory, bool *holds, verso_error *error);
/* Makes the directory hold none: a program that knows better now how large its states are begins anew in it. */
verso_status verso_abandon(const verso_system *system, const char *directory, verso_error *error);

/* stray.c: removes what lies in the capsules' directory of a new run. */
verso_status verso_remove_strays(verso_drive *drive, verso_error *error);

/* restart.c */
/* Where the disk has a limit, at most so many used-up states wait for a restart point. (Otherwise they are never more
 * than the slots were at the last one.) */
enum { VERSO_WAITING_MAX = 2 };
/* The share of the time that restart points may take which only a used-up capsule asks for. */
#define VERSO_COMMIT_SHARE 0.05
typedef enum verso_commit_kind {
    VERSO_COMMIT_GOING_ON,
    VERSO_COMMIT_STOPPING,  /* with the working state: what must not be lost, whatever happens next */
    VERSO_COMMIT_SUSPENDED, /* with all that memory holds, as far as the disk has room for it */
    VERSO_COMMIT_DONE
} verso_commit_kind;
/* How many adjoints are kept. */
size_t verso_adjoints_kept(const verso_drive *drive);
verso_status verso_restart_commit(verso_drive *drive, verso_commit_kind kind, verso_error *error);
/* One that somebody relies on (a distance was promised): first waits for the one before, so that no more than two
 * distances are ever at risk. */
verso_status verso_restart_promised(verso_drive *drive, verso_error *error);
/* So long after the last one another one takes little of the time, and would not just wait behind it. */
static inline bool verso_restart_is_cheap(const verso_drive *drive, double since) {
    return drive->commits_under_way == 0 && since * VERSO_COMMIT_SHARE >= drive->commit_seconds;
}
/* After a step backwards: is it time? */
verso_status verso_restart_consider(verso_drive *drive, verso_error *error);

/* pace.c */
void verso_pace_start(verso_drive *drive);
void verso_pace_end(verso_drive *drive);
/* Asks the clock, the limits and the signals; calls the user's callback. */
verso_status verso_pace_check(verso_drive *drive, verso_error *error);
/* Steps of this process. */
static inline uint64_t verso_pace_steps(const verso_drive *drive) {
    return drive->pace.forward_steps + drive->pace.reverse_steps;
}
/* Steps that may be run before the next check. */
static inline uint64_t verso_pace_room(const verso_drive *drive) {
    return drive->pace.fuel;
}
static inline verso_status verso_pace_burn(verso_drive *drive, uint64_t steps, verso_error *error) {
    verso_pace *pace = &drive->pace;
    pace->fuel -= steps < pace->fuel ? steps : pace->fuel;
    return pace->fuel == 0 ? verso_pace_check(drive, error) : VERSO_OK;
}

#endif
