/* The driver: verso_run plays a schedule on a program and keeps capsules in stores. A run with a directory is durable:
 * you may kill it at any instant; run the same program again, and it continues from the directory and ends with the
 * same bits (docs/durable.md).
 *
 *     verso_run_options options;
 *     verso_run_options_init(&options);
 *     options.automatic = true;        // choose the schedule
 *     options.memory = 64 << 20;       // within 64 MiB
 *     options.directory = "wave.run";  // durable
 *     status = verso_run(&program, &options, &report, &error);
 *
 * Threads: several threads may call verso_run at the same time, each with its own program and, if it is durable, its
 * own directory. A run calls the program, `progress`, `notice` and `least` only in the thread that called verso_run. A
 * signal suspends all runs of the process that catch it (`on_signal`). Options and reports are plain data.
 *
 * Errors: see status.h; docs/durable.md lists what a durable run refuses and how to recover. */
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

/* How far a run has come. work_done and work_total count the steps of the schedule only: steps that a recovery computes
 * again do not count as progress. */
typedef struct verso_progress {
    verso_phase phase;
    uint64_t steps;     /* number of steps of the computation; VERSO_UNKNOWN until it is known */
    uint64_t reached;   /* the furthest state so far is x_reached */
    uint64_t adjoint;   /* the current adjoint is that of x_adjoint; VERSO_UNKNOWN in the first forward sweep */
    uint64_t work_done; /* forward and reversed steps of the schedule that are done */
    /* The same of the whole schedule, at most UINT64_MAX. While `steps` is VERSO_UNKNOWN, an estimate; 0: none */
    uint64_t work_total;
    uint64_t steps_at_risk; /* steps run since the last restart point, which are lost if the process dies now */
    double seconds;         /* duration so far, summed over all processes of this run */
    double seconds_at_risk; /* time since the last restart point */
    double seconds_left;    /* estimated from the average speed so far; < 0: not known */
    uint64_t memory;        /* bytes that capsules and file buffers take now */
} verso_progress;

/* Draws a progress bar on a terminal. Use it as the callback `progress`, with a FILE * as progress_context. Writes
 * nothing if the stream is not a terminal. */
VERSO_API void verso_progress_bar(void *stream, const verso_progress *progress);
/* Writes the progress bar to `text` as one line of at most `width` columns, NUL-terminated, without a newline. `text`
 * must have room for 4 * width + 1 bytes. */
VERSO_API void verso_progress_text(const verso_progress *progress, unsigned width, char *text);

/* ---- Options ---- */

/* Where the capsules of a tier are kept. */
typedef enum verso_place { VERSO_PLACE_DEFAULT, VERSO_PLACE_MEMORY, VERSO_PLACE_FILES } verso_place;

/* A group: several processes that run the same steps together, such as the ranks of an MPI program. Give all of them
 * the same options, except that each needs a directory of its own (and not `scratch`). verso_run calls `least` in all
 * processes in the same order; each call must set *least to the minimum of the values that the processes pass
 * (MPI_Allreduce with MPI_MIN). The group continues from the newest restart point that all processes have, and begins
 * anew if one of them has lost its directory. If verso_run fails in one process, that process must end the others
 * (MPI_Abort), because they wait for it. */
typedef struct verso_group {
    void *context;
    verso_status (*least)(void *context, uint64_t value, uint64_t *least, verso_error *error);
} verso_group;

/* Initialise with verso_run_options_init, then set fields. Keep the options until verso_run returns. */
typedef struct verso_run_options {
    size_t size VERSO_SIZE_OF(verso_run_options); /* set by verso_run_options_init */
    /* The schedule. If `automatic` is true, verso_run ignores `spec`, times a few steps, a write and a read, and
     * chooses the schedule that is fastest with the given memory and directory (without a budget it assumes half of
     * the machine's memory). Otherwise it plays `spec`; there steps = 0 takes the number from the program, and
     * slots = 0 takes as many slots as `memory` holds. A continued run plays the schedule that it began with. */
    bool automatic;
    verso_schedule_spec spec;

    uint64_t memory;       /* budget in bytes for capsules, file buffers and recordings; 0: no budget */
    uint64_t disk;         /* maximum bytes of capsule files; 0: no limit */
    const char *directory; /* directory of the durable run; NULL: not durable, and no files */
    /* Use the directory for capsule files only: the run is not durable and leaves nothing there. Several runs may share
     * it. VERSO_STATUS_INVALID if the directory holds a durable run. */
    bool scratch;
    int compression; /* zstd level for files; 0: no compression */
    bool foreground; /* use no threads: files are written while the computation waits */

    /* Where each tier is kept: in memory, in files (VERSO_STATUS_INVALID without a directory), or in a store of your
     * own (which overrides `places`). By default the tier "memory" is in memory and "disk" in files; of the kind
     * `levels`, tier 0 is in memory and the others in files; the single tier of resilient, continuous and
     * single-recovery is in files if there is a directory. verso_run empties your store first (if it has `list`) and
     * does not close it; `memory` and `disk` do not limit it. A durable run does not use what your store held when a
     * process died. */
    verso_place places[VERSO_TIERS_MAX];
    verso_store *stores[VERSO_TIERS_MAX];

    /* When a durable run makes the adjoint durable, by a restart point, in addition to the schedule's actions
     * store-adjoint. It also does so whenever a state in a file was used for the last time and a restart point costs
     * little compared with what it saves. docs/durable.md lists all restart points. */
    uint64_t adjoint_distance; /* after at most this many reversed steps; 0: no such limit */
    /* After at most this many seconds; 0: 60. The first restart point of a process comes after 0.1 s and each following
     * interval is longer by half, up to `interval`, but at least twice what the last restart point took. */
    double interval;

    /* When to suspend the run: a durable run then saves all states in memory to files, as far as `disk` permits, and
     * verso_run returns VERSO_STATUS_SUSPENDED. (So does a run that is not durable, but it is lost.) */
    bool on_signal;      /* on SIGTERM and SIGINT, caught while verso_run runs, unless the process ignores them */
    double time_limit;   /* after this many seconds of this call; 0: no limit */
    uint64_t step_limit; /* after this many steps, forward and reversed, in this call; 0: no limit */

    /* Called at most ten times a second, and at the end unless the run fails. May be NULL. */
    void (*progress)(void *context, const verso_progress *progress);
    void *progress_context;
    /* Called with one sentence for each event of interest: the schedule that `automatic` chose and why, that a run is
     * continued, that a capsule is damaged and computed again. May be NULL. With `losses_only`, it is called only if
     * something is damaged or lost, or makes the run begin anew. */
    void (*notice)(void *context, const char *sentence);
    void *notice_context;
    bool losses_only;

    const verso_group *group; /* NULL: this process runs alone */
    /* About how many steps the program has, if it does not know it in advance: for progress only. 0: not known. */
    uint64_t steps_expected;
} verso_run_options;

/* Sets `size`, all other fields to 0, and `spec` to the defaults of verso_schedule_spec_init for the kind revolve. */
#define verso_run_options_init(options) verso_run_options_init_sized(options, sizeof(verso_run_options))
/* The function behind the macro: `size` is sizeof(verso_run_options) where the program was compiled. */
VERSO_API void verso_run_options_init_sized(verso_run_options *options, size_t size);

/* ---- Report ---- */

typedef struct verso_memory_sample {
    double seconds; /* since verso_run was called */
    uint64_t bytes;
} verso_memory_sample;

enum { VERSO_SAMPLES_MAX = 512, VERSO_REASON_MAX = 512 };

typedef struct verso_run_report {
    size_t size VERSO_SIZE_OF(verso_run_report); /* set by VERSO_RUN_REPORT_INIT */
    verso_schedule_spec spec;                    /* the schedule that was played */
    char reason[VERSO_REASON_MAX];               /* why `automatic` chose it; empty if the caller gave it */
    bool done;                                   /* the adjoint of x_0 was computed */
    bool suspended;                              /* the run was suspended, and continuing it loses nothing */
    verso_cost predicted; /* of the whole schedule; all 0 if the number of steps never became known */

    /* Counts over all processes of the run, including steps that recoveries repeated and work of processes that died.
     * (Not counted, because unknown: the last 0.1 s of a killed process, or the step that it was in; after a failure of
     * the whole machine, work since the last restart point.) The counts start at 0 when a run begins anew. */
    uint64_t forward_steps;
    uint64_t reversed_steps;
    uint64_t writes[VERSO_TIERS_MAX], reads[VERSO_TIERS_MAX]; /* capsules stored and restored by the schedule */
    uint64_t adjoint_stores;                                  /* adjoint capsules written */
    uint64_t restarts;                                        /* how often the run was continued */
    /* How often the run began anew: because its files were lost or damaged (counted in this process only), or because a
     * memory budget had to be divided again (counted in all processes). */
    uint64_t begun_anew;
    uint64_t recovered_steps;    /* forward steps that were needed only because of a restart or a damaged capsule */
    uint64_t lost_steps;         /* forward and reversed steps after the last restart point of processes that died */
    uint64_t recovered_capsules; /* states that were lost or damaged, computed again and put back into their slots */

    /* Usage and times, of this process unless noted. If several tiers are in files, the first of them shows the usage
     * of the whole file store, the others show 0. */
    verso_store_usage tiers[VERSO_TIERS_MAX];
    verso_store_usage durable;         /* the whole file store: tiers in files, adjoints, states kept for a restart */
    size_t capsule_size, adjoint_size; /* largest expected size of a state capsule and of an adjoint capsule */
    /* The option `memory`, and the peak of states, file buffers and recordings together. */
    uint64_t memory_budget, memory_peak;
    double seconds;                          /* duration of the run, summed over all processes */
    double seconds_process;                  /* duration of this call */
    double seconds_forward, seconds_reverse; /* in the program's `advance` and `reverse` */
    double seconds_copying;                  /* copying states to and from memory */
    double seconds_waited;                   /* waiting for files */
    int signal;                              /* the signal caught during the run; 0: none */
    /* Predicted from the measured speed of steps and of copies in memory, and from the measured time of waiting per
     * file access; 0: not known. */
    double seconds_predicted;
    size_t sample_count;
    verso_memory_sample samples[VERSO_SAMPLES_MAX]; /* bytes of states and file buffers in memory over time */
} verso_run_report;
#define VERSO_RUN_REPORT_INIT VERSO_INIT_OF(verso_run_report)

/* Runs the whole schedule, or continues the run in options->directory. Returns
 *   VERSO_STATUS_OK          the program holds the adjoint of x_0. If the run was already done, it is not computed
 *                            again: its adjoint is loaded;
 *   VERSO_STATUS_SUSPENDED   the run was suspended. To continue a durable run, call verso_run again, in another
 *                            process, or in this one with a program that is at x_0 again;
 *   VERSO_STATUS_BUSY        another process uses the directory (the message names it if known);
 *   VERSO_STATUS_IMPOSSIBLE  a budget is too small: the message usually names a sufficient one;
 *   VERSO_STATUS_INVALID     the program, an option, or the run in the directory does not fit the others;
 * or another error, also one from the program. To continue a durable run after an error, correct the cause and call
 * verso_run again.
 * `report` may be NULL; it is filled in whatever the result, unless program or options are rejected at once. */
VERSO_API verso_status verso_run(const verso_program *program, const verso_run_options *options,
                                 verso_run_report *report, verso_error *error);

/* Writes the report as JSON, with the field names of verso_run_report. Fails if the sink fails, and with
 * VERSO_STATUS_NO_MEMORY. */
VERSO_API verso_status verso_report_json(const verso_run_report *report, verso_sink sink, void *context,
                                         verso_error *error);
/* Writes the report as one HTML page with inline SVG: predicted and actual cost, memory over time. Fails if the
 * sink fails, and with VERSO_STATUS_NO_MEMORY. */
VERSO_API verso_status verso_report_html(const verso_run_report *report, verso_sink sink, void *context,
                                         verso_error *error);

/* ---- The status of a run directory ---- */

typedef struct verso_run_status {
    size_t size VERSO_SIZE_OF(verso_run_status); /* set by VERSO_RUN_STATUS_INIT */
    verso_schedule_spec spec;                    /* the schedule that the run plays */
    char reason[VERSO_REASON_MAX];               /* why `automatic` chose it; empty if the caller gave it */
    verso_identity program;                      /* identity of the program */
    bool done;                                   /* the run is done */
    bool suspended;                              /* the last process suspended the run, and no process runs it now */
    bool running;                                /* a process runs it now */
    uint64_t pid;                                /* of the running process; 0: none, or not known */
    char host[64];                               /* of the running process; empty: none, or not known */
    double started;                              /* when the run began, in seconds since 1970 */
    double updated;             /* when the running process wrote `now`, in seconds since 1970; 0: never */
    uint64_t restarts, commits; /* how often the run was continued; number of its last restart point (1, 2, …) */
    verso_progress last;        /* at the last restart point */
    verso_progress now;         /* as last written by the running process; equal to `last` if there is none */
    /* Size of the journal, and the offset of its first torn or damaged byte (VERSO_UNKNOWN: undamaged). */
    uint64_t journal_bytes, journal_damaged_at;
    uint64_t state_capsules, adjoint_capsules; /* number of capsule files */
} verso_run_status;
#define VERSO_RUN_STATUS_INIT VERSO_INIT_OF(verso_run_status)

/* Reads the status of the durable run in `directory`, which may be running, and changes nothing. VERSO_STATUS_INVALID
 * if there is no run in the directory, VERSO_STATUS_CORRUPT if its journal cannot be used. */
VERSO_API verso_status verso_run_status_read(const char *directory, verso_run_status *status, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
