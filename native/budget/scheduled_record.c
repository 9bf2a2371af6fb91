/* Records the run within a budget, or as much of its end as fits, so that nothing, or little, is computed twice. */
#include "native/budget/scheduled_inside.h"

#include "base/wide.h"

typedef verso__native_scheduled sweep;

enum {
    FIRST_SPARE = 64 << 10, /* bytes by which the program's memory may exceed that of the previous run ... */
    TAPE_SPARE = 8 << 10,   /* ... and its recording */
};

/* The previous sweep within a budget. Optimisers ask for many gradients of one function, so that it predicts the
 * next. */
static struct {
    uintptr_t function; /* the function that was differentiated; 0: none */
    uint64_t tape;      /* approximate bytes that recording the whole run would have taken */
    bool whole;         /* the whole run was recorded; the fields below are set */
    uint64_t start;     /* bytes of the program's memory at its beginning */
    uint64_t capsule;   /* bytes of it that had changed at the end */
    uint64_t log;       /* bytes of the log of the outside world */
} previous;

/* ---- Recording with a copy of the beginning ---- */

/* Leaves the first steps to the driver, which needs a capsule for each of them. */
static void leave_rest_to_driver(sweep *sweep, const verso__native_pieces *pieces) {
    uint64_t capsules = verso__mul_u64(pieces->begin, sweep->program.division.capsule);
    verso__native_pieces_close(pieces, pieces->memory > capsules ? pieces->memory - capsules : 0);
    sweep->recorded = pieces->end;
    sweep->steps = pieces->begin;
    sweep->program.rest_reversed = true;
}

/* Leaves the whole run to the driver. */
static void leave_all_to_driver(sweep *sweep) {
    verso__native_tape_keep(0);
    if (sweep->program.lost)
        (void)verso__scheduled_begin_anew(sweep); /* cannot fail without a directory */
}

static uintptr_t function_of_job(void) {
    const verso__native_job *job = verso__native_job_now();
    return job->run != NULL ? (uintptr_t)job->run : (uintptr_t)job->f;
}

/* Returns true if the previous run of the same function was too long to be recorded. */
static bool is_hopeless(const verso__native_pieces *pieces, uint64_t leaf) {
    return previous.function == function_of_job() && previous.tape > verso__native_pieces_most(pieces) * leaf;
}

uint64_t verso__scheduled_previous_length(void) {
    return previous.function == function_of_job() ? previous.tape : 0;
}

/* Must not exceed the true length: steps are long, and the last one may be short. */
void verso__scheduled_remember_length(const sweep *sweep) {
    uint64_t leaf = sweep->report->leaf_bytes, last = verso__native_walk_measured()->tape_last;
    uint64_t steps = sweep->report->steps - (sweep->report->steps > 0 && last > 0);
    previous.function = function_of_job();
    previous.whole = false;
    previous.tape = verso__add_u64(verso__mul_u64(steps, leaf), last + sweep->program.division.recorded);
}

/* Remembers that the whole run was recorded. */
static void remember_whole(sweep *sweep, uint64_t tape) {
    (void)verso__native_program_measure_capsule(&sweep->program);
    previous.function = function_of_job();
    previous.whole = true;
    previous.tape = tape + sweep->program.division.recorded;
    if (sweep->program.before == 0)
        previous.start = sweep->program.division.start;
    previous.capsule = sweep->program.capsule_largest;
    previous.log = sweep->program.log_largest;
}

static void report_whole(sweep *sweep) {
    sweep->report->steps = sweep->report->recordings = 1;
    verso__scheduled_begin_walk(sweep, 0); /* adds the last walk's times to the report */
    verso__native_describe_single_pass(sweep->options, sweep->report);
}

/* Records the run, and keeps as much of its end as fits. Keeps nothing if the run is too long, or if there is
 * no memory for running its beginning again. */
static verso_status record_pieces(sweep *sweep, verso__native_pieces *pieces) {
    verso__native_program_state *program = &sweep->program;
    const verso__native_division *division = &program->division;
    verso__native_pieces_open(program, pieces);
    if (is_hopeless(pieces, division->leaf))
        return VERSO_STATUS_OK;
    /* the beginning of the run, or the end of the recording `first` */
    verso__native_place at = *verso__native_place_now();
    verso__scheduled_begin_walk(sweep, division->leaf);
    *verso__native_place_now() = at;
    verso_status status = verso__native_pieces_record(program, pieces, sweep->error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_program_measure_memory(program);
    verso__scheduled_size_division(sweep);
    if (verso__native_pieces_fit(program, pieces))
        return VERSO_STATUS_OK;
    (void)verso__native_program_measure_capsule(program);
    verso__scheduled_size_division(sweep);
    verso__native_pieces_forget(program, pieces);
    if (division->memory < verso__native_least_memory(division, 1, division->leaf))
        pieces->begin = pieces->end;
    return VERSO_STATUS_OK;
}

static verso_status reverse_pieces(sweep *sweep, verso__native_pieces *pieces) {
    verso_error *error = sweep->error;
    verso_status status = verso__native_require_recording(error);
    if (status == VERSO_STATUS_OK && pieces->begin > 0 && sweep->program.division.end > 0)
        status = verso__native_capsule_take(&sweep->program.end, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_pieces_reverse(&sweep->program, pieces, error);
    sweep->report->tape_bytes = verso__max_u64(sweep->report->tape_bytes, pieces->used);
    return status;
}

verso_status verso__scheduled_try_recording(sweep *sweep, bool *done) {
    verso__native_pieces pieces = {0};
    verso_status status = VERSO_STATUS_OK;
    verso__scheduled_size_division(sweep);
    if (verso__native_room(&sweep->program.division) > 0 && !verso__native_calls_are_on())
        status = record_pieces(sweep, &pieces);
    if (status == VERSO_STATUS_OK && pieces.begin < pieces.end)
        status = reverse_pieces(sweep, &pieces);
    if (sweep->program.lost || pieces.begin == pieces.end) {
        status = sweep->program.lost ? VERSO_STATUS_OK : status;
        leave_all_to_driver(sweep);
    } else if (status == VERSO_STATUS_OK && pieces.begin > 0) {
        leave_rest_to_driver(sweep, &pieces);
    } else if (status == VERSO_STATUS_OK) {
        *done = true;
        remember_whole(sweep, pieces.used);
        report_whole(sweep);
    }
    return status;
}

/* ---- Recording without a copy of the beginning ---- */

/* A copy of the beginning may take much longer than a short run. If the previous run was recorded as a whole,
 * this one probably will be, too, and then no copy is needed. If it turns out to be longer, a capsule is taken
 * at the place that was reached; the rest is recorded as a whole, if it fits, or run from there again. The
 * first recording stays until the end.
 *
 * So after a failure, the program's memory is as the run left it, or as it was where the capsule was taken. A
 * run fails for lack of memory only if the program has grown. */
bool verso__scheduled_can_skip_start(sweep *sweep, uint64_t *tape) {
    verso__native_program_state *program = &sweep->program;
    verso__native_division *division = &program->division;
    uint64_t before = previous.start, start = verso__native_capsule_whole();
    *tape = previous.tape + previous.tape / 4 + TAPE_SPARE;
    if (!program->guarded || verso__native_calls_are_on() || !previous.whole ||
        previous.function != function_of_job() || start > before + before / 4 + FIRST_SPARE)
        return false;
    division->start = program->whole_largest = start;
    program->capsule_largest = previous.capsule;
    program->log_largest = previous.log;
    verso__scheduled_size_division(sweep);
    division->longer = verso__min_u64(division->longer, VERSO_NATIVE_LONGER);
    uint64_t others = verso__scheduled_least_memory(sweep);
    if (verso__scheduled_memory(sweep) <
        others) /* a run that cannot be recorded as a whole would be refused with a copy, too */
        others = verso__native_count_other_bytes(division) - division->end;
    return verso__scheduled_memory(sweep) >= verso__add_u64(others, *tape + VERSO_NATIVE_LONGER_SEEN);
}

/* Keeps the recording so far, and takes the capsule `start` here. */
static verso_status keep_start_here(sweep *sweep) {
    verso__native_program_state *program = &sweep->program;
    sweep->first = verso__native_walk_keep();
    program->before = 1;
    program->division.recorded = (uint64_t)(sweep->first.end - sweep->first.begin) + VERSO_NATIVE_PAGE;
    verso__native_tape_base(program->division.recorded);
    return verso__scheduled_keep_start(sweep);
}

verso_status verso__scheduled_record_first(sweep *sweep, uint64_t tape, bool *done) {
    verso__native_program_state *program = &sweep->program;
    verso_error *error = sweep->error;
    program->division.leaf = tape;
    verso__scheduled_begin_walk(sweep, tape);
    verso_status status = verso__native_tape_guard(verso__scheduled_memory(sweep) - program->division.cells, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_walk_to(1, true, error);
    if (status != VERSO_STATUS_OK || !verso__native_place_now()->ended)
        return status == VERSO_STATUS_OK ? keep_start_here(sweep) : status;
    *done = true;
    status = verso__native_require_recording(error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_walk_back(error);
    sweep->report->tape_bytes = verso__native_walk_measured()->tape_most;
    previous.tape = sweep->report->tape_bytes;
    report_whole(sweep);
    return status;
}

verso_status verso__scheduled_reverse_first(sweep *sweep) {
    verso__native_tape_base(0);
    verso__native_walk_take(&sweep->first);
    verso_status status = verso__native_tape_guard(0, sweep->error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_walk_back(sweep->error);
    sweep->report->tape_bytes += sweep->program.division.recorded; /* it was in memory all the time */
    return status;
}
