/* Measures checkpointed calls, for a profile: a gradient in which every site is on. */
#ifndef NATIVE_SWEEP_WATCH_H
#define NATIVE_SWEEP_WATCH_H

#include "native/run/run.h"

/* Limits of a profile. */
typedef struct verso__native_profile_limits {
    bool on;         /* the limits, and SIGINT and SIGTERM, cut the profile; false: the other fields are ignored */
    double seconds;  /* maximum duration; 0: no limit */
    uint64_t memory; /* approximate maximum bytes of recordings and snapshots; 0: what the machine has */
    bool progress;   /* show progress on the standard error, if it is a terminal */
} verso__native_profile_limits;

/* Measurements of one profile. Ticks are those of verso__native_ticks. */
typedef struct verso__native_watch {
    /* The call at hand. Of sites that are called very often, only some calls are measured, each for several. */
    uint32_t *seen;          /* number of calls so far, by site */
    uint64_t began;          /* ticks when the last call was entered, or when the sweep came to it */
    uint64_t weight;         /* number of calls that the last call is measured for; 0: it is not measured */
    uint64_t reversed;       /* number of calls that the sweep came to */
    uint64_t reverse_weight; /* like `weight`, for the last of these */
    bool awaits_program;     /* the program was put back to a measured call and has not continued yet */
    bool awaits_sweep;       /* a measured call was recorded, and the sweep has not continued yet */
    uint64_t recording;      /* ticks when the last call that was put back continued */
    uint64_t advanced;       /* bytes that the call which is run without recording would have recorded */

    /* Costs, in ticks. */
    uint64_t events;  /* number of events so far; the cost of every 16th is measured */
    double watched;   /* cost of measuring */
    double snapshots; /* cost of writing snapshots while the whole run was recorded */
    double copied;    /* cost of writing and reading snapshots */
    double bytes;     /* bytes of these snapshots */
    double touch;     /* cost of using a byte of the tape for the first time */

    /* Sizes, in bytes. */
    uint64_t largest;  /* the largest snapshot of the whole state; of small snapshots, some are measured as such */
    uint64_t small;    /* number of small snapshots */
    uint64_t image;    /* the program's memory at the beginning */
    uint64_t resident; /* tape that was in memory before */
    char *top;         /* end of the tape that was used so far */
    uint64_t total;    /* recording of the run with all sites off, as far as the run has come */
    bool total_known;  /* the run has come to its end */
    uint64_t recorded; /* how much of `total` was recorded so far */

    /* Times. */
    struct {
        double now, thread; /* clock and processor time of this thread, in seconds */
        uint64_t ticks;
    } start;
    double stolen;  /* seconds that other processes had the processor, as last determined */
    double forward; /* processor time of this thread until the reverse sweep began, in seconds */
    bool turned;    /* the reverse sweep has begun, or the first recording was cut */

    /* Limits. */
    struct {
        bool on;          /* there are limits */
        double end;       /* clock at which the profile must be done */
        double recording; /* clock at which the current recording is cut */
        uint64_t room;    /* maximum bytes of tape */
        char *tape;       /* tape address at which the current recording is cut */
        uint64_t checked; /* ticks when the clock was last read */
        double drawn;     /* clock when progress was last drawn */
        bool interrupted; /* a signal came */
        bool counting;    /* the rest of the run is run without recording, to determine its length */
    } cut;
} verso__native_watch;

/* Returns a clock of the processor. Reading it takes a tenth of the time of a system clock. */
static inline uint64_t verso__native_ticks(void) {
#if VERSO_NATIVE_HERE
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/* ---- Events, in the order of a call's life; no-ops unless calls are measured ---- */

/* A call that is to be checkpointed is entered. */
void verso__native_profile_begin(const verso__native_callsite *site);
/* Its snapshot of `snapshot` bytes is written; the call is about to be run without recording. `small`: the snapshot
 * does not hold the whole state, and the private stack is running. */
void verso__native_profile_meet(const verso__native_callsite *site, uint64_t snapshot, bool small);
/* The call was run. */
void verso__native_profile_leave(const verso__native_callsite *site);
/* A recording, of the run or of a call, has ended. */
void verso__native_profile_end(void);
/* The reverse sweep has come to a call. */
void verso__native_profile_reverse(void);
/* The program was put back to the call's beginning. */
void verso__native_profile_put_back(void);
/* The program continues there, recording. */
void verso__native_profile_resumed(void);
/* The call is recorded. */
void verso__native_profile_recorded(void);
/* The reverse sweep continues. */
void verso__native_profile_sweep_resumed(void);
/* The recording of a fixed point's step begins and ends here: at the beginning and the end of what is reversed
 * repeatedly. */
void verso__native_profile_fixed_begin(void);
void verso__native_profile_fixed_end(void);
/* That recording is about to be reversed for the n-th time (from 1 on); it was reversed for the last time. */
void verso__native_profile_fixed_sweep(uint64_t n);
void verso__native_profile_fixed_swept(void);
/* Does the work of a safepoint while calls are measured. Returns where the tape continues. */
char *verso__native_profile_pass(char *tape);

/* Returns the measurements of the current profile. */
verso__native_watch *verso__native_watch_now(void);

/* ---- watch_cut.c ---- */

/* Sets the limits of the next profile. */
void verso__native_profile_set_limits(verso__native_profile_limits limits);
/* Begins to enforce the limits, and catches signals. */
void verso__native_profile_limit(void);
/* Ends that. */
void verso__native_profile_unlimit(void);
/* Returns true if a limit is reached, so that the current recording must end here. */
bool verso__native_profile_has_reached_limit(const char *tape);
/* After a profile was cut: records calls that have not been recorded, without reversing anything, as far as the limits
 * permit, and cuts the remaining ones off the tree. Returns VERSO_STATUS_SUSPENDED or an error. */
verso_status verso__native_profile_record_rest(verso_error *error);

#endif
