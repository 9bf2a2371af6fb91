/* State that the files of this room share. Only this room and its tests may include this header. */
#ifndef NATIVE_SWEEP_INSIDE_H
#define NATIVE_SWEEP_INSIDE_H

#include "native/sweep/sweep.h"

/* The state of walk.c. */
typedef struct verso__native_walk_state {
    bool on;                   /* a walk has begun and not ended */
    verso__native_place start; /* where the last recording began */
    uint64_t leaf;             /* bytes of tape in a step */
    uint64_t step;             /* number of steps that are done */
    uint64_t target;           /* number of steps after which to suspend the run */
    uint64_t forward;          /* number of steps run in this walk, counting repetitions */
    bool recording;            /* the run is recorded; false: it is only advanced */
    /* The tape has not moved since the recording began, so that later safepoints may look like its start. */
    bool watching;
    uint64_t repeats; /* number of safepoints that did look like the start */
    char *boundary;   /* tape address at which the step ends */
    uint64_t spent;   /* bytes by which it ends earlier, because loops that record nothing lowered state.tape_limit */
    char *limit;      /* the value that state.tape_limit was set to */
    verso__native_walk_measures measures;
} verso__native_walk_state;
extern verso__native_walk_state verso__native_walk_now;

/* The state of callsites.c and watch.c. "The call" is the checkpointed call at hand. */
typedef struct verso__native_calls_state {
    bool on;                            /* calls are checkpointed in this sweep */
    verso__native_call_request request; /* why the private stack was suspended */
    const double *result; /* adjoints of the call's result while it is recorded for its reversal; else NULL */
    bool advancing;       /* the call is run without recording; `tape` and `size` are set */
    char *tape;           /* tape address after the call's snapshot */
    size_t size;          /* bytes of that snapshot */
    size_t missing;       /* bytes of a snapshot for which the tape had no room */
    bool again;           /* the call is recorded for its reversal */
    bool again_failed;    /* that failed */
    char *protected;      /* end of the recordings that fixed points reverse repeatedly now; NULL: there are none */
    uint64_t depth;       /* number of calls that were entered and not left */
    uint64_t snapshots;   /* number of snapshots so far */
    size_t peak;          /* peak bytes of the tape */
    const verso__native_callsite *site; /* the site that was entered last */
    void *callee;                       /* the function that is called there */
    bool entered;                       /* it was entered just now, and its callee has an adjoint in one piece */
    int64_t instead;                    /* additional bytes that the call would record if its site were off */
    verso__calltree *tree;              /* the tree that measurements go to; NULL: nothing is measured */
    char *last;                         /* end of the tape at the previous event */
    verso__native_watch watch;          /* measurements */
    /* The state of the walk before the call that is run without recording. */
    struct {
        verso__native_place at;
        uint64_t step, forward, spent;
        char *boundary;
    } walk;
} verso__native_calls_state;
extern verso__native_calls_state verso__native_calls_now;

#endif
