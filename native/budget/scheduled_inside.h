/* The state of a sweep within a budget, and what the files scheduled*.c share. Only these files may include this
 * header. */
#ifndef NATIVE_BUDGET_SCHEDULED_INSIDE_H
#define NATIVE_BUDGET_SCHEDULED_INSIDE_H

#include "native/budget/budget.h"

/* Minimum by which recordings are assumed to exceed the length of their steps, in bytes, once the run was surveyed. */
enum { VERSO_NATIVE_LONGER_SEEN = 16 << 10 };

typedef struct verso__native_scheduled {
    const verso_native_options *options;
    verso_native_report *report;
    verso_error *error;    /* receives why the sweep failed; not NULL */
    verso_run_options run; /* a copy of options->run */
    verso_run_report *run_report;
    verso__native_program_state program;
    verso__native_capsule start; /* the program's memory where the driver's run begins */
    uint64_t leaf;               /* length of a step in bytes, as requested or as found to fit; 0: to be chosen */
    bool automatic;              /* the schedule was left to Verso */
    bool surveyed;               /* the beginning of the run was surveyed */
    bool held;                   /* call sites were switched off until the end of the sweep */
    uint64_t length;             /* length of the run in bytes, if a survey reached its end; 0: not known */
    uint64_t expected;           /* about the length of the run in bytes, for progress; 0: not known */
    uint64_t steps;              /* number of steps for the driver; VERSO_UNKNOWN: not known until the run ends */
    /* Number of steps of the run, if all were recorded and those after the driver's steps are already reversed. */
    uint64_t recorded;
    verso__native_recording first; /* recording of the beginning of the run, if `start` comes after it */
    bool repeated;                 /* the run was repeated, so that the program is not at the end of its run */
    verso__native_durable durable; /* durable.directory is NULL if the run is not durable */
    verso__native_survey survey;   /* surveys of a durable run */
    double began;                  /* when the sweep began, in seconds of verso__now */
    bool stopped;                  /* the sweep must be suspended before the driver has begun */
    char *ranked;                  /* directory of this rank of an MPI program, in the given one; owned */
    char *scratch;                 /* directory for capsules in files, if the caller gave none; owned */
} verso__native_scheduled;

/* Returns the budget in bytes; 0: none. */
static inline uint64_t verso__scheduled_memory(const verso__native_scheduled *sweep) {
    return sweep->program.division.memory;
}

/* ---- scheduled_survey.c ---- */

/* Adds the measurements of the current walk to the report, and begins another walk. */
void verso__scheduled_begin_walk(verso__native_scheduled *sweep, uint64_t leaf);
/* Returns VERSO_STATUS_SUSPENDED with its message. */
verso_status verso__scheduled_suspend(verso__native_scheduled *sweep);
/* Copies the largest sizes so far to the stored survey. */
void verso__scheduled_note_sizes(verso__native_scheduled *sweep);
/* Takes over the sizes that earlier processes of a durable run found. */
void verso__scheduled_take_sizes(verso__native_scheduled *sweep);
/* Sets the stack protector's canary for a durable run: frames with canaries outlive the process in capsules. */
void verso__scheduled_set_canary(verso_identity identity);
/* Takes the capsule `start` of the current state, and measures the process. */
verso_status verso__scheduled_keep_start(verso__native_scheduled *sweep);
/* Runs the program ahead from its current state to its end, or for about `seconds` seconds unless that is 0, and
 * updates the largest sizes. Returns VERSO_STATUS_SUSPENDED if the sweep must stop. */
verso_status verso__scheduled_survey(verso__native_scheduled *sweep, verso__survey_purpose purpose, double seconds,
                                     verso_error *error);

/* ---- scheduled_divide.c ---- */

/* Returns true if a tier of the schedule is kept in files, so that the sweep needs a directory. */
bool verso__scheduled_needs_files(const verso__native_scheduled *sweep);
/* Returns true if the sizes of capsules matter: with a budget, or if the driver chooses the schedule. */
bool verso__scheduled_needs_sizes(const verso__native_scheduled *sweep);
/* Returns the smallest budget with the current division, in bytes. */
uint64_t verso__scheduled_least_memory(const verso__native_scheduled *sweep);
/* Sets the sizes in the division from the largest sizes so far. */
void verso__scheduled_size_division(verso__native_scheduled *sweep);
/* Divides the budget, and begins a walk with the chosen length of steps. */
verso_status verso__scheduled_divide(verso__native_scheduled *sweep);
/* After a recording ran into the guard: increases the size by which recordings may exceed their steps' length. */
void verso__scheduled_measure_longer(verso__native_scheduled *sweep);
/* Counts the steps of the run. Sets *again if the schedule cannot be played with this division. */
verso_status verso__scheduled_count_steps(verso__native_scheduled *sweep, bool *again);

/* ---- scheduled_driver.c ---- */

/* Prepares for another division of the budget, after the last one was too small. */
verso_status verso__scheduled_begin_anew(verso__native_scheduled *sweep);
/* Divides the budget and plays the schedule, as often as needed. */
verso_status verso__scheduled_drive(verso__native_scheduled *sweep);

/* ---- scheduled_record.c ---- */

/* Records as much of the run as fits into the budget, and reverses that. Sets *done if that was the whole run;
 * otherwise the driver must do the rest. */
verso_status verso__scheduled_try_recording(verso__native_scheduled *sweep, bool *done);
/* Remembers how long the run was, for the next sweep. */
void verso__scheduled_remember_length(const verso__native_scheduled *sweep);
/* Returns the length in bytes of the previous run of the same function, at most; 0: not known. */
uint64_t verso__scheduled_previous_length(void);
/* Returns true if the run will probably be recorded as a whole, so that no copy of the beginning is needed. Sets
 * *tape to the bytes that its recording will probably take. */
bool verso__scheduled_can_skip_start(verso__native_scheduled *sweep, uint64_t *tape);
/* Records the first `tape` bytes of the run without a copy of the beginning. If the run has ended then, reverses the
 * recording and sets *done; otherwise keeps the recording, and takes the capsule `start` there. */
verso_status verso__scheduled_record_first(verso__native_scheduled *sweep, uint64_t tape, bool *done);
/* Reverses that recording, last of all. */
verso_status verso__scheduled_reverse_first(verso__native_scheduled *sweep);

#endif
