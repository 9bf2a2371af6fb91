/* Room `sweep`: records a run and reverses it: in a single pass, in steps, cut at safepoints, and with checkpointed
 * calls.
 *
 *   sweep.c      runs the job in a given mode, and reverses what is on the tape
 *   walk.c       steps: runs or records from one safepoint to another, and reverses a recording
 *   cut.c        stretches that are cut at chosen safepoints, with which Verso checks itself
 *   callsites.c  checkpointed calls
 *   snapshot.c   small snapshots of calls that are known to access little memory
 *   reach.c      finds the memory that such a call may access
 *   lasting.c    keeps copies of what stands in memory for more than one nest
 *   watch.c      measures checkpointed calls, for a profile
 *   watch_cut.c  ends a profile at its limits of time and memory
 *   custom.c     custom adjoints
 *   once.c       custom adjoints of calls that are made once
 *   team.c       computes the threads' shares of parallel regions in parallel
 *   ranks.c      what the processes of an MPI program do together
 *   fixpoint.c   fixed points and their two-phase adjoints
 *   linear.c     linear systems that are solved once more, transposed, in the sweep
 *
 * Requires: room `tape`.
 * Leaves: the adjoints in cells, and memory as the run left it.
 * Owns: the state of the walk, of the checkpointed calls, of the custom adjoint and of the fixed point at hand. */
#ifndef NATIVE_SWEEP_SWEEP_H
#define NATIVE_SWEEP_SWEEP_H

#include "native/sweep/callsites.h"
#include "native/sweep/custom.h"
#include "native/sweep/cut.h"
#include "native/sweep/fixpoint.h"
#include "native/sweep/lasting.h"
#include "native/sweep/snapshot.h"
#include "native/sweep/team.h"
#include "native/sweep/walk.h"
#include "native/sweep/watch.h"
#include "native/tape/tape.h"

/* Prepares the private stack to run the job's function from its beginning in this mode. */
void verso__native_start(verso__native_mode mode);
/* Lets the private stack run in this mode until it is suspended, has ended or has failed. Checkpointed calls do not
 * count as suspensions, unless a profile is cut. */
verso__native_outcome verso__native_go(verso__native_mode mode);
/* Copies verso__native_failure_now to *error and returns its status. */
verso_status verso__native_failure(verso_error *error);
/* Returns VERSO_STATUS_INVALID if the run that has just ended recorded nothing. */
verso_status verso__native_require_recording(verso_error *error);
/* Seeds the reverse sweep: adds the derivatives of the job's outputs to their cells, and puts the adjoint of f's result
 * into state.result. */
void verso__native_seed(const verso__native_job *job);
/* Reverses the tape, from the end of the run (`from` is NULL) or from the safepoint at which the run was suspended. */
verso_status verso__native_reverse_tape(const verso__native_site *from, verso_error *error);
/* Records the run in a single pass and reverses it. Afterwards the cells of the inputs hold their adjoints. `calls`:
 * NULL if no call is checkpointed. Returns VERSO_STATUS_SUSPENDED if a limit of a profile has cut it. */
verso_status verso__native_single_pass(verso__native_job *job, verso__native_calls *calls, verso_native_report *report,
                                       verso_error *error);

#endif
