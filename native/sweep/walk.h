/* Walks: a run in steps of equal bytes of tape. A step ends at the first safepoint at which the tape has grown by
 * `leaf` bytes since the step began (0: at each safepoint). Steps are the same whether they are recorded or only
 * advanced. */
#ifndef NATIVE_SWEEP_WALK_H
#define NATIVE_SWEEP_WALK_H

#include "native/run/run.h"

/* As a number of steps: to the end of the run. */
#define VERSO_NATIVE_END UINT64_MAX

/* Measurements since the walk began. Sizes are in bytes. */
typedef struct verso__native_walk_measures {
    size_t memory_most;     /* largest sum of stack and heap at the end of a step */
    size_t tape_most;       /* longest recording */
    size_t step_most;       /* longest step */
    uint64_t steps;         /* number of steps so far */
    uint64_t length;        /* their length: tape, and a byte for each iteration of loops that record nothing */
    uint64_t tape_last;     /* tape of the last step of the run; 0: its end was not reached */
    double seconds_forward; /* seconds in verso__native_walk_to */
    double seconds_reverse; /* seconds in verso__native_walk_back */
} verso__native_walk_measures;

/* Begins a walk at the beginning of the run. */
void verso__native_walk_begin(uint64_t leaf);
void verso__native_walk_end(void);
const verso__native_walk_measures *verso__native_walk_measured(void);
/* After a recording has filled the tape: returns about by which factor its bytes exceeded the length of its steps,
 * because snapshots of checkpointed calls exceed recordings of these calls; 0: no call is checkpointed. */
double verso__native_walk_growth(void);
/* Returns the bytes of tape in a step. */
uint64_t verso__native_walk_leaf(void);
/* Sets them, from the next step on. */
void verso__native_walk_set_leaf(uint64_t leaf);
/* Lets the run continue until `step` steps are done, or to its end. A recording can be reversed until the next call. */
verso_status verso__native_walk_to(uint64_t step, bool recording, verso_error *error);
/* Reverses what the last verso__native_walk_to recorded. At the end of the run, it seeds the sweep first. */
verso_status verso__native_walk_back(verso_error *error);

/* A recording that is reversed later. Its bytes stay on the tape. */
typedef struct verso__native_recording {
    verso__native_place start; /* where the recording began */
    verso__native_place at;    /* where it ended */
    uint64_t repeats;          /* safepoints that looked like its start */
    char *begin, *end;         /* its bytes */
} verso__native_recording;
/* Returns the recording that the last verso__native_walk_to made. */
verso__native_recording verso__native_walk_keep(void);
/* Makes it the current recording again, so that verso__native_walk_back reverses it. */
void verso__native_walk_take(const verso__native_recording *kept);

/* ---- For the other files of this room ---- */

/* Sets state.tape_limit again, after the walk's state was put back. */
void verso__native_walk_reset_limit(void);
/* Adjusts the end of the step after a checkpointed call: the tape has `bytes` bytes more than the step counts. */
void verso__native_walk_move(ptrdiff_t bytes);
/* Do the work of verso__native_safepoint and verso__native_stop during a walk. */
char *verso__native_walk_pass(char *tape, uint64_t count, const verso__native_site *site);
int verso__native_walk_stop(uint64_t count, const verso__native_site *site);

#endif
