/* Surveys of a sweep within a budget: the program is run ahead, without recording, to measure how large capsules and
 * steps become or to count its steps. survey.c stores how far a survey of a durable run has come. */
#include "native/budget/scheduled_inside.h"

#include "base/system.h"
#include "base/wide.h"
#include "drive/signals.h"

typedef verso__native_scheduled sweep;

/* Cells that an earlier gradient left are not given back up to this part of the budget, or up to this many
 * bytes. */
enum { KEPT_PART = 32, KEPT_LITTLE = 256 << 10 };
#define INTERVAL_USUAL 60.0 /* maximum seconds between two times of storing the program's state */

/* ---- Walks: one for each length of steps ---- */

void verso__scheduled_begin_walk(sweep *sweep, uint64_t leaf) {
    sweep->report->seconds_forward += verso__native_walk_measured()->seconds_forward;
    sweep->report->seconds_reverse += verso__native_walk_measured()->seconds_reverse;
    if (verso__native_walk_measured()->tape_most > sweep->report->tape_bytes)
        sweep->report->tape_bytes = verso__native_walk_measured()->tape_most;
    verso__native_walk_begin(leaf);
}

/* ---- Surveys ---- */

static bool must_stop(const sweep *sweep) {
    const verso_run_options *run = &sweep->run;
    return (run->on_signal && verso__signals_came() != 0) ||
           (run->time_limit > 0 && verso__now() - sweep->began >= run->time_limit);
}

verso_status verso__scheduled_suspend(sweep *sweep) {
    verso_error *error = sweep->error;
    sweep->run_report->suspended = sweep->durable.directory != NULL;
    if (sweep->durable.directory == NULL)
        return verso__fail(error, VERSO_STATUS_SUSPENDED,
                           "stopped; without a directory that makes it durable, the run is lost");
    return verso__fail(error, VERSO_STATUS_SUSPENDED,
                       "suspended in '%.300s'; run the same program again to continue it", sweep->durable.directory);
}

void verso__scheduled_note_sizes(sweep *sweep) {
    verso__native_survey *survey = &sweep->survey;
    survey->asked = sweep->options->leaf == 0 ? sweep->leaf : 0;
    survey->surveyed = sweep->surveyed;
    survey->capsule = sweep->program.capsule_largest;
    survey->longer = sweep->program.longer_largest;
    survey->whole = sweep->program.whole_largest;
    survey->cells = sweep->program.cells_grown;
    survey->length = sweep->length > 0 ? sweep->length : sweep->expected;
}

void verso__scheduled_take_sizes(sweep *sweep) {
    const verso__native_survey *survey = &sweep->survey;
    verso__native_program_state *program = &sweep->program;
    if (sweep->leaf == 0)
        sweep->leaf = survey->asked;
    sweep->surveyed = survey->surveyed;
    program->capsule_largest = verso__max_u64(program->capsule_largest, survey->capsule);
    program->longer_largest = verso__max_u64(program->longer_largest, survey->longer);
    program->whole_largest = verso__max_u64(program->whole_largest, survey->whole);
    program->cells_grown = (unsigned)survey->cells;
    sweep->expected = survey->length;
}

/* The last byte of a canary is 0, as usual, to end strings. */
void verso__scheduled_set_canary(verso_identity identity) {
    verso__native_stack_set_canary(identity.words[0] & ~UINT64_C(0xff));
}

/* Begins a survey, or continues the one that an earlier process has left. */
static void begin_survey(sweep *sweep, verso__survey_purpose purpose) {
    verso__native_survey *survey = &sweep->survey;
    survey->purpose = purpose;
    survey->leaf = verso__native_walk_leaf();
    survey->seconds = 0;
    survey->began = survey->kept = verso__now();
    if (sweep->durable.directory == NULL)
        return;
    if (purpose != VERSO_SURVEY_GROWTH) /* a survey of growth begins where the driver left the program */
        verso__scheduled_set_canary(survey->facts);
    (void)verso__native_survey_resume(&sweep->durable, purpose, survey->leaf, &survey->seconds);
}

/* Measures sizes after some steps, and stores the program's state from time to time and when the sweep must
 * stop. */
static verso_status pass_survey(sweep *sweep, double before, verso_error *error) {
    verso__native_survey *survey = &sweep->survey;
    double interval = sweep->run.interval > 0 ? sweep->run.interval : INTERVAL_USUAL;
    (void)verso__native_program_measure_capsule(&sweep->program);
    survey->seconds = before + verso__now() - survey->began;
    sweep->stopped = must_stop(sweep);
    bool due = sweep->durable.directory != NULL && (sweep->stopped || verso__native_survey_is_due(survey, interval));
    if (!due || verso__native_place_now()->ended)
        return sweep->stopped ? VERSO_STATUS_SUSPENDED : VERSO_STATUS_OK;
    verso__scheduled_note_sizes(sweep);
    verso_status status = verso__native_survey_keep_place(&sweep->durable, survey, error);
    return status == VERSO_STATUS_OK && sweep->stopped ? VERSO_STATUS_SUSPENDED : status;
}

verso_status verso__scheduled_keep_start(sweep *sweep) {
    verso__native_program_state *program = &sweep->program;
    verso__native_range globals = verso__native_program();
    if (verso__scheduled_memory(sweep) != 0 &&
        verso__native_shadow_kept() > verso__max_u64(verso__scheduled_memory(sweep) / KEPT_PART, KEPT_LITTLE))
        verso__native_shadow_drop(); /* so that pages which a run touches for the first time are noticed */
    uint64_t resident = verso__native_program_resident(),
             kept = verso__native_tape_resident() + verso__native_shadow_kept();
    program->resident = resident - verso__min_u64(kept, resident);
    program->globals = verso__native_owned_bytes(globals.begin, globals.end);
    verso_status status = verso__native_capsule_take(&sweep->start, sweep->error);
    program->division.start = sweep->start.room;
    program->whole_largest = verso__max_u64(program->whole_largest, sweep->start.room);
    return status;
}

/* The stride between two measurements is such that they are frequent enough and cost little. */
verso_status verso__scheduled_survey(sweep *sweep, verso__survey_purpose purpose, double seconds, verso_error *error) {
    const verso__native_place *at = verso__native_place_now();
    verso_status status = VERSO_STATUS_OK;
    begin_survey(sweep, purpose);
    double before = sweep->survey.seconds;
    while (status == VERSO_STATUS_OK && !at->ended && (seconds == 0 || sweep->survey.seconds < seconds)) {
        uint64_t stride = 1 + 8 * sweep->program.capsule_largest / (verso__native_walk_leaf() + 1);
        status = verso__native_program_go(&sweep->program, at->step + stride, false, error);
        if (status == VERSO_STATUS_OK)
            status = pass_survey(sweep, before, error);
    }
    return status;
}
