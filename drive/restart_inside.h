/* Restart points, and the runs that begin or continue from them. Private to drive/. */
#ifndef DRIVE_RESTART_INSIDE_H
#define DRIVE_RESTART_INSIDE_H

#include "drive/state_inside.h"

/* reopen.c */
/* Locks the directory of a durable run and opens the vault. Sets *continued if the run continues from the newest
 * restart point that all processes of the group have: the schedule is then set and the adjoint loaded. Sets *done
 * if the run is done already. */
verso_status verso__reopen(verso__drive *drive, bool *continued, bool *done, verso_error *error);
/* Completes the continuation once the tiers are open: determines which slots are present, and records in the
 * journal that the run is continued. */
verso_status verso__reopen_slots(verso__drive *drive, verso_error *error);
/* Begins a new run once the tiers are open: writes x_0 to the vault, creates the journal and makes the first
 * restart point. */
verso_status verso__begin(verso__drive *drive, verso_error *error);
/* Closes the journal and releases the lock. */
void verso__reopen_close(verso__drive *drive);
/* Returns VERSO_STATUS_INVALID if the directory contains a durable run: a run with `scratch` must not remove its
 * capsules. */
verso_status verso__refuse_run(verso__drive *drive, verso_error *error);
/* Returns 128 random bits that identify a new run. */
verso_identity verso__new_run(const verso__drive *drive);
/* Opens the vault's store in capsules_path for the run of `head`. */
verso_status verso__open_vault(verso__drive *drive, verso_error *error);

/* fits.c */
/* Return whether an action, or a restart point read from a journal, is possible in this schedule. `steps` may be
 * VERSO_UNKNOWN, and so may `adjoint` before the reversal has begun. */
bool verso__action_fits(const verso_action *action, const verso_schedule *schedule, uint64_t steps, uint64_t adjoint);
bool verso__commit_fits(const verso__commit *commit, const verso_schedule *schedule);

/* stray.c: removes the capsule files that an earlier run left in the capsules directory of a new run. */
verso_status verso__remove_strays(verso__drive *drive, verso_error *error);

/* restart.c */
/* With a limit of the disk, the maximum number of states that may be `waiting` for a restart point. (Without it,
 * they are never more than the slots in use at the last restart point.) */
enum { VERSO_WAITING_MAX = 2 };
/* The share of the time that restart points may take whose only purpose is to let a used-up capsule be removed. */
#define VERSO_COMMIT_SHARE 0.05
typedef enum verso__commit_kind {
    VERSO_COMMIT_GOING_ON,  /* the run continues */
    VERSO_COMMIT_STOPPING,  /* the run may stop here: includes the working state */
    VERSO_COMMIT_SUSPENDED, /* the run is suspended: includes all states in memory, as far as the disk has room */
    VERSO_COMMIT_DONE       /* the run is done */
} verso__commit_kind;
/* Returns the number of adjoint capsules that are kept. */
size_t verso__adjoints_kept(const verso__drive *drive);
/* Makes a restart point: submits the capsules that it needs and its journal record to the worker. */
verso_status verso__restart_commit(verso__drive *drive, verso__commit_kind kind, verso_error *error);
/* Makes a restart point that adjoint_distance requires. Waits for the previous one first, so that at most two
 * distances are at risk. */
verso_status verso__restart_promised(verso__drive *drive, verso_error *error);
/* Returns whether another restart point, `since` seconds after the last one, would take only a small share of the
 * time and would not have to wait for the last one. */
static inline bool verso__restart_is_cheap(const verso__drive *drive, double since) {
    return drive->commits_under_way == 0 && since * VERSO_COMMIT_SHARE >= drive->commit_seconds;
}
/* Called after each reversed step: makes a restart point if one is due. */
verso_status verso__restart_consider(verso__drive *drive, verso_error *error);

#endif
