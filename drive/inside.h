/* Internals of the driver. Private to drive/.
 *
 *   run      verso_run: from the options to the result; functions that all files use
 *   tiers    opens a store for each tier within the budgets of memory and disk
 *   choose   chooses the schedule if the option `automatic` is set
 *   play     executes the actions of the schedule
 *   slots    the contents of each slot of each tier
 *   vault    the capsules in files, and what each is still needed for
 *   recover  computes a lost state again from an older one
 *   restart  decides when to make restart points, and makes them
 *   journal* the file of the restart points
 *   lock     permits one process at a time in a directory
 *   reopen   begins a new run in a directory, or continues one from a restart point
 *   fits     checks the contents of a journal against the schedule
 *   abandon  removes a run from its directory
 *   stray    removes capsule files that belong to no run
 *   status   reads how far a run has come, for other processes
 *   pace     clock, limits, progress
 *   signals  signals that suspend a run
 *   limits   reads interval and time limit from text
 *   report_* the report
 *
 * Invariants
 *  1. `working` is the step of the program's state (VERSO_UNKNOWN: the state is unspecified), `adjoint` that of its
 *     adjoint. An action that needs a working state asks for it; if it is not there, it is computed again.
 *  2. A slot is EMPTY, PRESENT or MISSING. MISSING: the schedule stored a state there, but it is lost, because the
 *     process that held it in memory died or because its file is damaged. A missing state is computed again when it
 *     is needed, together with all other missing states on the way.
 *  3. Runs are deterministic: a state x_s in the vault is the same whichever process wrote it. A state in the vault
 *     is therefore never written again, and a run that computes again skips ahead to the states that an interrupted
 *     process left.
 *  4. In a durable run the state x_0 stays in the vault until the run is done, so that everything can be computed
 *     again.
 *  5. A state that is no longer needed leaves the vault only after a restart point that does not need it. A state
 *     that was written after the last restart point leaves at once; most of these are never written to their files.
 *  6. One worker makes all changes of files, in the order of submission. What a restart point refers to is durable
 *     before it; what it makes superfluous is removed after it.
 *  7. In a group, each decision that does not follow from the schedule alone is made with `least`, by all processes
 *     at the same action. Fuel counts steps, so that all processes read the clock at the same step.
 *  8. The runs of a group have the same identity, which is created when they begin. If the identities differ (a
 *     process has lost its directory, or began anew alone before it died), all processes begin anew. Processes are
 *     at most one restart point apart, and restart points with the same number are at the same position of the
 *     schedule. */
#ifndef DRIVE_INSIDE_H
#define DRIVE_INSIDE_H

#include "drive/pace_inside.h"
#include "drive/play_inside.h"
#include "drive/restart_inside.h"
#include "drive/state_inside.h"
#include "drive/tiers_inside.h"
#include "drive/vault_inside.h"

/* run.c. The first two pass one formatted sentence to the option `notice`. verso__drive_warn is for damage, loss
 * and beginning anew: it also reports with `losses_only`. */
__attribute__((format(printf, 2, 3))) void verso__drive_notice(verso__drive *drive, const char *format, ...);
__attribute__((format(printf, 2, 3))) void verso__drive_warn(verso__drive *drive, const char *format, ...);
/* Sets *value to the minimum of the values of all processes of the group. Without a group, leaves it unchanged. */
verso_status verso__drive_least(verso__drive *drive, uint64_t *value, verso_error *error);
/* Sets *value to true if it is true in all processes, or in any process, of the group. */
verso_status verso__drive_all(verso__drive *drive, bool *value, verso_error *error);
verso_status verso__drive_any(verso__drive *drive, bool *value, verso_error *error);
/* Predicts the cost once the number of steps is known. */
verso_status verso__drive_learn_cost(verso__drive *drive, verso_error *error);
/* Returns the bytes of memory that capsules and file buffers take now. */
uint64_t verso__drive_memory(const verso__drive *drive);
/* Waits until the worker has done all submitted jobs. */
verso_status verso__drive_drain(verso__drive *drive, verso_error *error);
/* Fills in *progress. */
void verso__drive_progress(const verso__drive *drive, verso_progress *progress);
/* Writes progress and counts to the note in the lock file. The run must hold the lock. */
void verso__drive_note(verso__drive *drive, const verso_progress *progress);

/* report_fill.c */
/* Fills in drive->report, if there is one. */
void verso__fill_report(verso__drive *drive, bool done, bool suspended);

#endif
