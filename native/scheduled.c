/* The sweep within a memory budget: the compiled program on the general driver. See native.h.
 *
 * What fits is recorded at one go, and nothing is computed twice. Else the program is brought back to its beginning and
 * handed to the driver: for `automatic` and `online` as one whose number of steps is not known; for other kinds they
 * are counted first.
 *
 * How large capsules become is not known either. The budget is divided for the largest so far and some more; when one
 * turns out larger, it is divided anew and the run begins again. Programs allocate early, so that is rare and cheap.
 *
 * A durable run is divided once, and the next process goes on with what was chosen (durable.c). */
#include "native/native.h"

#include "base/alloc.h"
#include "drive/drive.h"

#include <stdio.h>

#include <string.h>

#define LEAF_WITHOUT_BUDGET (UINT64_C(1) << 20)
enum { DIVISIONS_MOST = 64, SPARE = 2048, ADJOINT_SPARE = 64 << 10, LOOK_LEAF = 512, LOOK_STEPS = 1024 };

typedef struct sweep {
    const verso_native_options *options;
    verso_native_report *report;
    verso_run_options run;
    verso_run_report *run_report;
    verso_native_program_state program;
    verso_native_capsule start;
    verso_native_durable durable; /* directory NULL: it is not */
    uint64_t steps;
    bool outgrown; /* what a durable run was divided for */
    uint64_t memory;
    uint64_t forward; /* steps of walks that are over */
} sweep;

/* ---- Walks: one for each length of a step ---- */

static void begin_walk(sweep *sweep, uint64_t leaf) {
    sweep->forward += verso_native_runtime.walk.forward;
    sweep->report->seconds_forward += verso_native_runtime.walk.seconds_forward;
    sweep->report->seconds_reverse += verso_native_runtime.walk.seconds_reverse;
    if (verso_native_runtime.walk.tape_most > sweep->report->tape_bytes)
        sweep->report->tape_bytes = verso_native_runtime.walk.tape_most;
    verso_native_walk_begin(leaf);
}

static void note_capsule(sweep *sweep) {
    size_t size = verso_native_capsule_size();
    if (size > sweep->program.capsule_largest)
        sweep->program.capsule_largest = size;
}

/* How large capsules are near the beginning, for a message: the run has not come to any yet. */
static void look_ahead(sweep *sweep) {
    verso_native_capsule_restore(&sweep->start);
    begin_walk(sweep, LOOK_LEAF);
    for (uint64_t step = 1; step <= LOOK_STEPS; step++) {
        if (verso_native_walk_to(step, false, NULL) != VERSO_OK || verso_native_runtime.walk.at.ended)
            return;
        note_capsule(sweep);
    }
}

static uint64_t with_spare(uint64_t capsule) {
    return capsule + capsule / 64 + SPARE;
}

/* Cells of what it had at the beginning and of what has changed, and its memory at the end; frames. */
static uint64_t adjoint_most(const sweep *sweep, uint64_t capsule) {
    return sweep->durable.directory != NULL ? sweep->program.fixed + 2 * capsule + ADJOINT_SPARE : 0;
}

/* The largest capsule that goes through buffers of files; 0: there are no files. */
static uint64_t largest_in_files(const sweep *sweep, uint64_t capsule) {
    uint64_t adjoint = adjoint_most(sweep, capsule);
    return sweep->run.directory == NULL ? 0 : adjoint > capsule ? adjoint : capsule;
}

static uint64_t least_memory(const sweep *sweep, uint64_t capsule) {
    return verso_memory_for(verso_native_least_memory(sweep->program.fixed, capsule, sweep->options->leaf),
                            largest_in_files(sweep, capsule));
}

static verso_status too_small(sweep *sweep) {
    if (sweep->program.capsule_largest == 0)
        look_ahead(sweep);
    uint64_t capsule = with_spare(sweep->program.capsule_largest);
    return verso_fail(&sweep->report->error, VERSO_IMPOSSIBLE,
                      "a memory of %llu bytes is too small: a copy of the program's memory takes %zu, what changes in "
                      "it %llu; with cells and the shortest recordings %llu would do.",
                      (unsigned long long)sweep->memory, sweep->start.room, (unsigned long long)capsule,
                      (unsigned long long)least_memory(sweep, capsule));
}

/* ---- Everything recorded ---- */

/* Into what memory is left beside the program's state at its beginning and end, and the cells. */
static verso_status try_at_one_go(sweep *sweep, bool *done) {
    uint64_t beside = verso_native_beside(sweep->program.fixed, sweep->start.room);
    if (sweep->memory <= beside)
        return VERSO_OK;
    begin_walk(sweep, sweep->memory - beside);
    verso_status status = verso_native_walk_to(1, true, &sweep->report->error);
    note_capsule(sweep);
    *done = status == VERSO_OK && verso_native_runtime.walk.at.ended;
    if (!*done) {
        verso_native_tape_trim();
        return status;
    }
    sweep->report->steps = sweep->report->recordings = 1;
    status = verso_native_recorded(&sweep->report->error);
    if (status == VERSO_OK)
        status = verso_native_capsule_take(&sweep->program.end, &sweep->report->error);
    return status == VERSO_OK ? verso_native_walk_back(&sweep->report->error) : status;
}

/* ---- On the driver ---- */

/* Whether it matters how large capsules become. */
static bool is_sized(const sweep *sweep) {
    return sweep->memory != 0 || (sweep->run.automatic && sweep->run.directory != NULL);
}

/* To begin anew is dear for a durable run: it looks ahead first, and the second time leaves more room, if there is. */
static uint64_t choose_capsule(sweep *sweep) {
    if (sweep->run.directory != NULL && sweep->program.capsule_largest == 0 && is_sized(sweep))
        look_ahead(sweep);
    uint64_t capsule = with_spare(sweep->program.capsule_largest);
    return sweep->outgrown && sweep->memory >= least_memory(sweep, 2 * capsule) ? 2 * capsule : capsule;
}

static verso_status divide(sweep *sweep) {
    uint64_t leaf = sweep->options->leaf, capsule = choose_capsule(sweep);
    if (sweep->memory == 0)
        leaf = leaf != 0 ? leaf : LEAF_WITHOUT_BUDGET;
    else if (sweep->memory < least_memory(sweep, capsule))
        return too_small(sweep);
    else if (leaf == 0)
        leaf = verso_native_choose_leaf(sweep->memory -
                                            verso_buffers_for(sweep->memory, largest_in_files(sweep, capsule)) -
                                            verso_native_beside(sweep->program.fixed, capsule),
                                        capsule);
    sweep->program.capsule_most = capsule;
    begin_walk(sweep, leaf);
    return VERSO_OK;
}

/* Kinds that must know the number of steps are told. */
static verso_status count_steps(sweep *sweep) {
    sweep->steps = VERSO_UNKNOWN;
    if (sweep->run.automatic || sweep->run.spec.kind == VERSO_KIND_ONLINE)
        return VERSO_OK;
    verso_native_capsule_restore(&sweep->start);
    verso_status status = verso_native_walk_to(VERSO_NATIVE_END, false, &sweep->report->error);
    sweep->steps = verso_native_runtime.walk.at.step;
    return status == VERSO_OK ? verso_native_recorded(&sweep->report->error) : status;
}

/* A length of steps and a size of capsules: those with which the run in the directory began, or chosen now. */
static verso_status prepare(sweep *sweep) {
    verso_native_durable *durable = &sweep->durable;
    if (durable->kept) {
        sweep->program.capsule_most = durable->capsule_most;
        sweep->steps = durable->steps;
        begin_walk(sweep, durable->leaf);
        return VERSO_OK;
    }
    verso_status status = divide(sweep);
    if (status == VERSO_OK)
        status = count_steps(sweep);
    if (status != VERSO_OK || durable->directory == NULL)
        return status;
    durable->leaf = verso_native_runtime.walk.leaf;
    durable->capsule_most = sweep->program.capsule_most;
    durable->steps = sweep->steps;
    return verso_native_durable_keep(durable, &sweep->report->error);
}

/* From the beginning of the run to its gradient, unless a capsule is larger than the budget was divided for. */
static verso_status play(sweep *sweep) {
    verso_program program = {.operations = &verso_native_operations,
                             .self = &sweep->program,
                             .steps = sweep->steps,
                             .capsule_most = is_sized(sweep) ? sweep->program.capsule_most : 0,
                             .adjoint_most = (size_t)adjoint_most(sweep, sweep->program.capsule_most),
                             .identity = sweep->durable.identity};
    sweep->program.grown = false;
    sweep->report->leaf_bytes = verso_native_runtime.walk.leaf;
    verso_native_runtime.stack.canary = program.identity.words[0] & ~UINT64_C(0xff); /* which ends strings, as usual */
    verso_native_capsule_restore(&sweep->start);
    verso_native_capsule_base(&sweep->start); /* so that the beginning is the same bytes in every process */
    return verso_run(&program, &sweep->run, sweep->run_report, &sweep->report->error);
}

/* What the driver said about the size was for a program that could know it. */
static void begin_anew(sweep *sweep) {
    char sentence[VERSO_MESSAGE_MAX];
    verso_native_adjoint_clear();
    verso_native_capsule_free(&sweep->program.end);
    sweep->report->error = (verso_error){0};
    sweep->durable.kept = false;
    sweep->outgrown = sweep->durable.directory != NULL;
    if (!sweep->outgrown || sweep->run.notice == NULL)
        return;
    snprintf(sentence, sizeof sentence, "the run in '%.300s' begins anew: its states have become larger than %zu bytes",
             sweep->durable.directory, sweep->program.capsule_most);
    sweep->run.notice(sweep->run.notice_context, sentence);
}

static void fill_report(sweep *sweep) {
    const verso_run_report *run = sweep->run_report;
    verso_native_report *report = sweep->report;
    report->steps = run->predicted.steps;
    report->recordings = (uint64_t)run->predicted.recorded_steps;
    report->forward_steps = (uint64_t)run->forward_steps;
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++) {
        report->capsules += run->predicted.peak_slots[tier];
        report->peak_bytes += run->tiers[tier].memory_peak;
    }
    report->peak_bytes += run->durable.memory_peak;
}

static verso_status on_the_driver(sweep *sweep) {
    verso_status status = VERSO_OK;
    for (int i = 0; i < DIVISIONS_MOST; i++) {
        status = prepare(sweep);
        if (status == VERSO_OK)
            status = play(sweep);
        if (status != VERSO_USER || !sweep->program.grown)
            break;
        begin_anew(sweep);
    }
    fill_report(sweep);
    return status;
}

/* ---- All of it ---- */

/* The options of the driver, as the caller gave them or as a budget alone means them. */
static void complete(sweep *sweep) {
    if (sweep->options->run != NULL)
        sweep->run = *sweep->options->run;
    else {
        verso_run_options_init(&sweep->run);
        sweep->run.automatic = true;
    }
    if (sweep->options->memory != 0)
        sweep->run.memory = sweep->options->memory;
    sweep->memory = sweep->report->budget_bytes = sweep->run.memory;
}

/* Without files there is nothing to measure before choosing. */
static void choose_online(sweep *sweep) {
    sweep->run.automatic = false;
    verso_schedule_spec_init(&sweep->run.spec, VERSO_KIND_ONLINE);
}

static uint64_t input_bytes(void) {
    const verso_native_job *job = verso_native_runtime.job;
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->wrt_count; i++)
        bytes += job->wrt[i].count * sizeof(double);
    return bytes;
}

static verso_status run_sweep(sweep *sweep) {
    bool done = false;
    verso_native_walk_begin(0);
    verso_native_capsule_leave_out(verso_native_runtime.job);
    verso_status status = verso_native_capsule_take(&sweep->start, &sweep->report->error);
    if (status == VERSO_OK && verso_native_is_durable(&sweep->run))
        status = verso_native_durable_open(&sweep->run, &sweep->durable, &sweep->report->error);
    if (status == VERSO_OK)
        verso_native_capsule_base(&sweep->start);
    sweep->program.fixed = sweep->start.room + input_bytes();
    if (status == VERSO_OK && sweep->run.automatic && sweep->run.directory == NULL) {
        status = try_at_one_go(sweep, &done);
        choose_online(sweep);
    }
    if (status == VERSO_OK && !done)
        status = on_the_driver(sweep);
    begin_walk(sweep, 0); /* takes the last walk's times */
    verso_native_walk_end();
    return status;
}

verso_status verso_native_scheduled_sweep(const verso_native_options *options, verso_native_report *report) {
    sweep sweep = {.options = options, .report = report};
    complete(&sweep);
    verso_run_report *own = NULL;
    if (options->run_report == NULL) {
        own = verso_alloc(1, sizeof *own);
        if (own == NULL)
            return verso_fail(&report->error, VERSO_NO_MEMORY, "no memory for the report of the run.");
    }
    sweep.run_report = own != NULL ? own : options->run_report;
    *sweep.run_report = (verso_run_report){0};
    verso_status status = run_sweep(&sweep);
    verso_native_capsule *left = status == VERSO_OK ? &sweep.program.end : &sweep.start;
    if (left->bytes != NULL)
        verso_native_capsule_restore(left);
    verso_native_capsule_base(NULL);
    verso_native_capsule_leave_out(NULL);
    verso_native_durable_close(&sweep.durable);
    verso_native_runtime.stack.canary = 0;
    report->peak_bytes += sweep.start.room + sweep.program.end.room;
    verso_native_capsule_free(&sweep.start);
    verso_native_capsule_free(&sweep.program.end);
    verso_dealloc(own);
    return status;
}
