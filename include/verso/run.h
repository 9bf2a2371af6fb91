/* The driver: plays a schedule on a program, keeping capsules in stores. With a directory a run is durable: it may be
 * killed at any instant, and the same program run again continues from the directory and ends with the same bits. */
#ifndef VERSO_RUN_H
#define VERSO_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/export.h>
#include <verso/program.h>
#include <verso/schedule.h>
#include <verso/sink.h>
#include <verso/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Progress ---- */

typedef enum verso_phase { VERSO_PHASE_FORWARD, VERSO_PHASE_REVERSE, VERSO_PHASE_DONE } verso_phase;

/* Where a run stands. The numbers of work are those of the schedule: what a recovery recomputes does not count as
 * progress. */
typedef struct verso_progress {
    verso_phase phase;
    uint64_t steps;         /* VERSO_UNKNOWN as long as it is */
    uint64_t reached;       /* the furthest state so far */
    uint64_t adjoint;       /* the adjoint is that of x_adjoint; VERSO_UNKNOWN before it has begun */
    verso_wide work_done;   /* forward steps and reversed steps that the schedule has asked for and that are done */
    verso_wide work_total;  /* of the whole schedule, exact; 0 while the number of steps is not known */
    uint64_t steps_at_risk; /* steps run since the last restart point: what a death would cost now */
    double seconds;         /* computing so far, in all processes of this run */
    double seconds_at_risk; /* since the last restart point */
    double seconds_left;    /* an estimate from the speed so far; < 0: not known */
    uint64_t memory;        /* bytes that capsules and buffers take now */
} verso_progress;

/* A callback that draws a bar on a terminal: context is a FILE *, and nothing is written unless it is a terminal. */
VERSO_API void verso_progress_bar(void *stream, const verso_progress *progress);
/* The bar alone, as one line without a line end, at most `width` columns; `text` has room for 4 * width + 1 bytes. */
VERSO_API void verso_progress_text(const verso_progress *progress, unsigned width, char *text);

/* ---- What to do ---- */

typedef enum verso_place { VERSO_PLACE_DEFAULT, VERSO_PLACE_MEMORY, VERSO_PLACE_FILES } verso_place;

/* Several processes that take the same steps together (the ranks of an MPI program), each with a directory of its own,
 * are given the same options but for the directory, and decide together: `least` returns the least of the values that
 * all of them call it with, in the same order. They go on from the newest restart point that all of them have, and
 * begin anew when one has lost its directory. A process in which verso_run fails must end the others, too (MPI_Abort):
 * they wait for it. */
typedef struct verso_group {
    void *context;
    verso_status (*least)(void *context, uint64_t value, uint64_t *least, verso_error *error);
} verso_group;

typedef struct verso_run_options {
    /* The schedule. `automatic`: measured in the first steps and chosen for the memory and the directory given; spec is
     * ignored but for what `automatic` says. Otherwise spec, where steps may be 0 (taken from the program), and slots 0
     * (as many as `memory` holds). */
    bool automatic;
    verso_schedule_spec spec;

    uint64_t memory;       /* budget in bytes for capsules, buffers and recordings; 0: none is set */
    uint64_t disk;         /* most bytes of files; 0: no limit */
    const char *directory; /* of the run; NULL: nothing is written to files */
    bool scratch;          /* the directory is only room, for several runs if need be: nothing stays in it */
    int compression;       /* level of zstd for files; 0: none */
    bool foreground;       /* no threads: writing does not overlap with computing */

    /* What backs each tier. By default the tier called "memory" is memory and "disk" is files; of `levels`, tier 0 is
     * memory and all others are files; the one tier of resilient, continuous and single-recovery is files when there is
     * a directory. A store that the user brings is emptied first, used as it is, and closed by the user; a durable run
     * does not rely on what it held after a death. */
    verso_place places[VERSO_TIERS_MAX];
    verso_store *stores[VERSO_TIERS_MAX];

    /* When the adjoint becomes durable, besides where the schedule says so. It also does whenever a capsule in a file
     * has just been used up and that costs little against what it saves. */
    uint64_t adjoint_distance; /* after so many reversed steps at most; 0: no such rule */
    double interval;           /* after so many seconds at most; 0: 60 */

    /* When to suspend: all that is in memory is made durable, and verso_run returns VERSO_SUSPENDED. */
    bool on_signal;      /* at SIGTERM and SIGINT, which are caught for as long as verso_run lasts */
    double time_limit;   /* after so many seconds; 0: none */
    uint64_t step_limit; /* after so many steps in this process, forward and reversed; 0: none */

    void (*progress)(void *context, const verso_progress *progress); /* at most ten times a second, and at the end */
    void *progress_context;
    /* What is worth saying: what `automatic` chose and why, that a run is continued, that a capsule was damaged and is
     * computed again. One sentence. */
    void (*notice)(void *context, const char *sentence);
    void *notice_context;

    const verso_group *group;          /* NULL: this process is alone */
    const struct verso_system *system; /* NULL: the machine's */
} verso_run_options;

/* Everything 0; kind revolve. */
VERSO_API void verso_run_options_init(verso_run_options *options);

/* ---- What happened ---- */

typedef struct verso_memory_sample {
    double seconds;
    uint64_t bytes;
} verso_memory_sample;

enum { VERSO_SAMPLES_MAX = 512, VERSO_REASON_MAX = 512 };

typedef struct verso_run_report {
    verso_schedule_spec spec;      /* that was played */
    char reason[VERSO_REASON_MAX]; /* why it was chosen; empty when it was given */
    bool done;
    bool suspended;       /* not done, and continuing loses nothing */
    verso_cost predicted; /* all 0 when the number of steps was never learnt */

    /* Counted over all processes of the run, what recoveries repeated included. */
    verso_wide forward_steps;
    verso_wide reversed_steps;
    uint64_t writes[VERSO_TIERS_MAX], reads[VERSO_TIERS_MAX];
    uint64_t adjoint_stores;
    uint64_t restarts;          /* how often the run was continued */
    verso_wide recovered_steps; /* forward steps that only a restart or a damaged capsule made necessary */
    uint64_t recovered_capsules;

    /* Of this process. */
    verso_store_usage tiers[VERSO_TIERS_MAX];
    verso_store_usage durable; /* adjoint capsules, and what is kept for a restart only */
    size_t capsule_size, adjoint_size;
    uint64_t memory_budget, memory_peak;
    double seconds;                          /* of all processes */
    double seconds_process;                  /* of this one */
    double seconds_forward, seconds_reverse; /* of this one: in the program */
    double seconds_copying;                  /* of this one: states into and out of memory */
    double seconds_waited;                   /* of this one: for files */
    int signal;               /* the signal that came while the run lasted, and that it has caught; 0: none */
    double seconds_predicted; /* from the measured speed of steps, writes and reads; 0: not known */
    size_t sample_count;
    verso_memory_sample samples[VERSO_SAMPLES_MAX]; /* memory over time */
} verso_run_report;

/* Plays the whole schedule. VERSO_OK: the adjoint of x_0 is in the program. VERSO_SUSPENDED: call again (in this
 * process only with a program that is at x_0 again, or in another one) to go on. VERSO_BUSY: another process has the
 * directory. A run that is already done is not computed again: its adjoint is loaded. `report` may be NULL. */
VERSO_API verso_status verso_run(const verso_program *program, const verso_run_options *options,
                                 verso_run_report *report, verso_error *error);

VERSO_API verso_status verso_report_json(const verso_run_report *report, verso_sink sink, void *context,
                                         verso_error *error);
/* One page with inline SVG: predicted against actual, memory over time. */
VERSO_API verso_status verso_report_html(const verso_run_report *report, verso_sink sink, void *context,
                                         verso_error *error);

/* ---- A directory, seen from outside ---- */

typedef struct verso_run_status {
    verso_schedule_spec spec;
    char reason[VERSO_REASON_MAX];
    verso_identity program;
    bool done;
    bool suspended; /* it ended in good order */
    bool running;   /* a process has it now */
    uint64_t pid;   /* of that process; 0: not known */
    char host[64];
    double started; /* seconds since 1970, of the run */
    double updated; /* when `now` was written; 0: never */
    uint64_t restarts, commits;
    verso_progress last; /* at the last restart point */
    verso_progress now;  /* as the running process last said; equal to `last` when there is none */
    uint64_t journal_bytes, journal_damaged_at; /* VERSO_UNKNOWN: whole */
    uint64_t state_capsules, adjoint_capsules;
} verso_run_status;

/* Reads only. VERSO_INVALID when there is no run in the directory. */
VERSO_API verso_status verso_run_status_read(const char *directory, verso_run_status *status, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
