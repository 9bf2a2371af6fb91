/* Checkpointed calls: calls that are not recorded. A snapshot goes to the tape instead, and the call is recorded when
 * the reverse sweep comes to it. callsites.c explains the scheme. */
#ifndef NATIVE_SWEEP_CALLSITES_H
#define NATIVE_SWEEP_CALLSITES_H

#include "native/run/run.h"
#include "profile/tree.h"

/* Why the private stack was suspended at a checkpointed call. */
typedef enum verso__native_call_request {
    VERSO_NATIVE_CALL_NONE,
    VERSO_NATIVE_CALL_ENTERED,  /* the recording has come to a checkpointed call */
    VERSO_NATIVE_CALL_RECORDED, /* the call that was recorded for its reversal has returned */
    VERSO_NATIVE_CALL_REVERSED, /* the reverse sweep has come to a checkpointed call */
    VERSO_NATIVE_CALL_CUT,      /* a limit of the profile is reached: the recording ends here */
} verso__native_call_request;

/* Memory of a single pass with checkpointed calls. Zero-initialise it. */
typedef struct verso__native_calls {
    verso__native_capsule start; /* the program's memory at the beginning of the run */
    verso__native_capsule end;   /* the program's memory at the end of the run; empty if no call was checkpointed */
} verso__native_calls;

/* ---- Sites ---- */

/* Returns all call sites of the program, in no particular order, and their number. */
verso__native_callsite *verso__native_callsites(size_t *count);
/* Switches off all sites that can be switched off, until verso__native_calls_release. */
void verso__native_calls_hold(void);
/* Switches these sites on again. */
void verso__native_calls_release(void);

/* ---- A sweep ---- */

/* Begins a sweep. Returns true if some sites are on. */
bool verso__native_calls_begin(void);
/* Returns true if calls are checkpointed in the current sweep. */
bool verso__native_calls_are_on(void);
/* Makes the current sweep, in which calls are checkpointed, measure them. `tree` gets the call tree; NULL: none. */
void verso__native_calls_watch(verso__calltree *tree);
/* Begins a single pass. Requires that the program is at its beginning. To be ended also after a failure. */
verso_status verso__native_calls_start(verso__native_calls *calls, verso_error *error);
/* To be called between recording and reversing. */
verso_status verso__native_calls_turn(verso__native_calls *calls, verso_error *error);
/* Ends a single pass: leaves memory as the run left it, and fills in the report. */
void verso__native_calls_end(verso__native_calls *calls, verso_native_report *report);

/* ---- For the other files of this room ---- */

/* Handles a suspension of the private stack with this outcome: writes the snapshot of a checkpointed call, runs the
 * call without recording, and continues, until the private stack is suspended for another reason. Returns the last
 * outcome. */
verso__native_outcome verso__native_calls_go(verso__native_outcome outcome);
/* Does the work of verso__native_safepoint outside walks, and for a call that is recorded for its reversal. Returns
 * where the tape continues. */
char *verso__native_call_pass(char *tape);
/* If a walk was suspended while a checkpointed call was run without recording, puts the program back to the call's
 * beginning, so that the walk records the call, and returns true. Otherwise returns false. */
bool verso__native_calls_rewind_partial(void);
/* Ends the current recording before the run, or the call that is recorded, has ended: the profile is cut. */
void verso__native_calls_cut(void);
/* Frees memory. To be called after a sweep. */
void verso__native_calls_forget(void);
/* Records the checkpointed call that the reverse sweep has come to, so that the sweep can be resumed. Returns
 * VERSO_STATUS_SUSPENDED if a limit of the profile has cut the recording. */
verso_status verso__native_call_record(verso_error *error);

#endif
