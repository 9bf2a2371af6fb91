/* The sweep within a memory budget, or by a schedule: the compiled program on the general driver. See budget.h.
 *
 * If the schedule is left to Verso, the run is recorded in a single pass if it fits. If almost everything fits, the
 * end of the run is reversed from its recording, and the driver gets the rest (scheduled_record.c). Otherwise the
 * program is put back to its beginning and handed to the driver (scheduled_driver.c): for the kind `online`, which
 * is also used if the schedule is left to Verso, with an unknown number of steps; for other kinds the steps are
 * counted first. */
#include "native/budget/scheduled_inside.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/wide.h"
#include "drive/signals.h"
#include "native/sweep/ranks.h"

#include <stdlib.h>

typedef verso__native_scheduled sweep;

/* Makes a directory for capsules in files. Nothing in it outlives the run. */
static verso_status make_scratch(sweep *sweep) {
    const char *parent = getenv("TMPDIR");
    sweep->scratch = verso__path_join(parent != NULL && parent[0] != '\0' ? parent : "/tmp", "verso-XXXXXX");
    if (sweep->scratch == NULL)
        return verso__fail(sweep->error, VERSO_STATUS_NO_MEMORY, "no memory for a path");
    if (mkdtemp(sweep->scratch) == NULL)
        return verso__file_error(sweep->error, "make the directory for capsules", sweep->scratch);
    sweep->run.directory = sweep->scratch;
    sweep->run.scratch = true;
    return VERSO_STATUS_OK;
}

/* Runs the part of the run that the driver must do, from `start`. */
static verso_status run_again(sweep *sweep) {
    sweep->repeated = true;
    verso__native_capsule_base(&sweep->start, verso__native_calls_are_on());
    verso_status status = verso__scheduled_drive(sweep);
    verso__scheduled_remember_length(sweep);
    sweep->report->steps += sweep->program.before;
    sweep->report->recordings += sweep->program.before;
    return status;
}

/* Records and reverses everything that fits; the driver does the rest. */
static verso_status run_automatic(sweep *sweep) {
    uint64_t tape;
    bool done = false, first = verso__scheduled_can_skip_start(sweep, &tape);
    verso_status status =
        first ? verso__scheduled_record_first(sweep, tape, &done) : verso__scheduled_keep_start(sweep);
    if (status == VERSO_STATUS_OK && !done) {
        verso__native_capsule_base(&sweep->start, verso__native_calls_are_on());
        status = verso__scheduled_try_recording(sweep, &done);
    }
    if (status == VERSO_STATUS_OK && !done)
        status = run_again(sweep);
    return status == VERSO_STATUS_OK && sweep->program.before > 0 ? verso__scheduled_reverse_first(sweep) : status;
}

/* Each rank of an MPI program has a directory of its own in the one that was given. */
static verso_status choose_directory(sweep *sweep) {
    if (!verso__native_is_durable(&sweep->run) || !verso__native_ranks_run())
        return VERSO_STATUS_OK;
    verso_status status = verso__directory_make(verso__system_current(), sweep->run.directory, true, sweep->error);
    if (status != VERSO_STATUS_OK)
        return status;
    sweep->ranked = verso__native_ranks_directory(sweep->run.directory);
    if (sweep->ranked == NULL)
        return verso__fail(sweep->error, VERSO_STATUS_NO_MEMORY, "no memory for a path");
    sweep->run.directory = sweep->ranked;
    return VERSO_STATUS_OK;
}

static verso_status run_scheduled(sweep *sweep) {
    verso_status status = verso__scheduled_keep_start(sweep);
    if (status == VERSO_STATUS_OK)
        status = choose_directory(sweep);
    if (status == VERSO_STATUS_OK && verso__native_is_durable(&sweep->run))
        status = verso__native_durable_open(&sweep->run, &sweep->durable, sweep->error);
    if (status == VERSO_STATUS_OK && sweep->durable.directory != NULL) {
        verso__native_survey_open(&sweep->durable, &sweep->survey);
        verso__scheduled_take_sizes(sweep);
        sweep->survey.begun_anew = verso__max_u64(sweep->survey.begun_anew, sweep->durable.kept.begun_anew);
    }
    if (status == VERSO_STATUS_OK && verso__scheduled_needs_files(sweep) && sweep->run.directory == NULL)
        status = make_scratch(sweep);
    return status == VERSO_STATUS_OK ? run_again(sweep) : status;
}

static verso_status run_sweep(sweep *sweep) {
    verso__native_program_state *program = &sweep->program;
    sweep->automatic = sweep->run.automatic;
    bool automatic = sweep->run.automatic && sweep->run.directory == NULL;
    if (verso__scheduled_memory(sweep) != 0 && !automatic) /* give back memory that an earlier run has left */
        verso__native_tape_keep(0);
    program->touched = verso__native_arena_touched();
    program->highest = verso__native_arena_ever_used().end;
    verso__native_walk_begin(0);
    verso__native_capsule_leave_out(verso__native_job_now());
    if (automatic) {
        sweep->run.automatic = false;
        verso_schedule_spec_init(&sweep->run.spec, VERSO_KIND_ONLINE);
    }
    verso_status status = automatic ? run_automatic(sweep) : run_scheduled(sweep);
    verso__scheduled_begin_walk(sweep, 0); /* adds the last walk's times to the report */
    return status;
}

/* Leaves memory as the run left it, or, after a failure, as it was before. */
static verso_status leave_memory(sweep *sweep, verso_status status) {
    verso_error *error = sweep->error;
    const verso__native_capsule *left = status == VERSO_STATUS_OK ? &sweep->program.end : &sweep->start;
    if (left->bytes != NULL)
        verso__native_capsule_restore(left);
    else if (status == VERSO_STATUS_OK && sweep->repeated) {
        verso__scheduled_begin_walk(sweep, sweep->program.division.leaf);
        verso__native_capsule_restore(&sweep->start);
        status = verso__native_walk_to(VERSO_NATIVE_END, false, error);
        verso__scheduled_begin_walk(sweep, 0);
    }
    return status;
}

static void close_sweep(sweep *sweep) {
    if (sweep->held)
        verso__native_calls_release();
    verso__native_walk_end();
    verso__native_tape_base(0);
    verso__native_capsule_base(NULL, false);
    verso__native_capsule_leave_out(NULL);
    verso__native_durable_close(&sweep->durable);
    verso__native_stack_set_canary(0);
    sweep->report->peak_bytes += sweep->start.room + sweep->program.end.room;
    verso__native_capsule_free(&sweep->start);
    verso__native_capsule_free(&sweep->program.end);
    if (sweep->scratch != NULL) /* the driver has removed it, too, if it was called */
        (void)verso__system_machine.remove_directory(&verso__system_machine, sweep->scratch);
    verso__dealloc(sweep->scratch);
    verso__dealloc(sweep->ranked);
}

verso_status verso__native_scheduled_sweep(const verso_native_options *options, verso_native_report *report,
                                           verso_error *error) {
    sweep sweep = {.options = options,
                   .report = report,
                   .error = error,
                   .run = *options->run,
                   .program.division.memory = options->run->memory,
                   .program.guarded = options->run->memory != 0 && options->tape_limit == 0,
                   .program.capsule_largest = options->capsule,
                   .leaf = options->leaf,
                   .began = verso__now()};
    if (verso__native_calls_are_on() && options->leaf != 0)
        sweep.program.division.tape = options->leaf_tape;
    report->budget_bytes = options->run->memory;
    verso_run_report *own = NULL;
    if (options->run_report == NULL) {
        own = verso__alloc(1, sizeof *own);
        if (own == NULL)
            return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the report of the run");
    }
    sweep.run_report = own != NULL ? own : options->run_report;
    *sweep.run_report = (verso_run_report)VERSO_RUN_REPORT_INIT;
    if (sweep.run.on_signal)
        verso__signals_catch();
    verso_status status = leave_memory(&sweep, run_sweep(&sweep));
    if (sweep.run.on_signal)
        sweep.run_report->signal = report->signal = verso__signals_leave();
    report->begun_anew = sweep.run_report->begun_anew += sweep.survey.begun_anew;
    if (status == VERSO_STATUS_OK && sweep.durable.directory != NULL)
        verso__native_ranks_settle(); /* other ranks may have further to go */
    if (status == VERSO_STATUS_OK)    /* a message of an attempt that failed */
        *error = (verso_error){0};
    close_sweep(&sweep);
    verso__dealloc(own);
    return status;
}
