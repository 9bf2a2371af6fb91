/* Hands the compiled program to the general driver (drive/).
 *
 * If something grows beyond what the budget was divided for, the run is surveyed to its end, the budget is divided
 * again and the run begins again. Programs allocate early, so that this is rare. A durable run is continued with
 * the division that its first process chose (durable.c); if that is too small, the run begins anew in its
 * directory. */
#include "native/budget/scheduled_inside.h"

#include "base/system.h"
#include "base/wide.h"
#include "native/sweep/ranks.h"
#include "schedule/cost.h"

#include <stdio.h>

typedef verso__native_scheduled sweep;

enum { DIVISIONS_MOST = 16 }; /* how often the budget is divided before the sweep fails */
#define TIME_LEAST 1e-6       /* seconds: the smallest time limit for the driver, where 0 means no limit */

/* Returns about how many steps the run has; 0: not known. */
static uint64_t expected_steps(const sweep *sweep) {
    uint64_t length = sweep->length > 0 ? sweep->length : sweep->expected;
    length = length > 0 ? length : verso__scheduled_previous_length();
    return length > 0 ? length / sweep->program.division.leaf + 1 : 0;
}

/* Counts the steps if needed, and stores the division of a durable run for the next process. */
static verso_status prepare(sweep *sweep, bool *again) {
    const verso__native_division *division = &sweep->program.division;
    verso_status status = VERSO_STATUS_OK;
    *again = false;
    if (sweep->durable.continued || sweep->recorded > 0)
        return VERSO_STATUS_OK;
    sweep->steps = VERSO_UNKNOWN;
    if (!sweep->run.automatic && sweep->run.spec.kind != VERSO_KIND_ONLINE)
        status = verso__scheduled_count_steps(sweep, again);
    if (status != VERSO_STATUS_OK || *again || sweep->durable.directory == NULL)
        return status;
    uint64_t grown = division->growth > 1 ? verso__native_step_tape(division, division->leaf) - division->leaf : 0;
    sweep->durable.kept = (verso__native_kept){.leaf = division->leaf,
                                               .capsule = division->capsule,
                                               .longer = division->longer + grown,
                                               .cells = division->cells,
                                               .log = division->log,
                                               .steps = sweep->steps,
                                               .begun_anew = sweep->survey.begun_anew};
    return verso__native_durable_keep(&sweep->durable, sweep->error);
}

static verso_status run_driver(sweep *sweep) {
    const verso__native_division *division = &sweep->program.division;
    verso_program program = {.operations = &verso__native_operations,
                             .self = &sweep->program,
                             .steps = sweep->steps,
                             .capsule_most = verso__scheduled_needs_sizes(sweep) ? division->capsule : 0,
                             .capsule_spare = division->spare,
                             .adjoint_most = division->adjoint,
                             .start_most = division->first,
                             .identity = sweep->durable.identity};
    verso_run_options run = sweep->run;
    if (run.steps_expected == 0)
        run.steps_expected = expected_steps(sweep);
    if (sweep->recorded > 0)
        verso_schedule_spec_init(&run.spec, VERSO_KIND_REVOLVE);
    verso__native_price_disk(division, &run.spec);
    verso__native_capsule_restore(&sweep->start);
    verso__native_capsule_base(
        &sweep->start, verso__native_calls_are_on()); /* the first capsule has the same bytes in every process */
    verso__scheduled_set_canary(program.identity);
    if (run.time_limit > 0) { /* the limit applies to the whole call */
        double left = run.time_limit - (verso__now() - sweep->began);
        run.time_limit = left > TIME_LEAST ? left : TIME_LEAST;
    }
    return verso_run(&program, &run, sweep->run_report, sweep->error);
}

/* Plays the schedule from the beginning of the run to its gradient. Sets *again if the budget must be divided
 * again. */
static verso_status play(sweep *sweep, bool *again) {
    const verso__native_program_state *state = &sweep->program;
    const verso__native_division *division = &state->division;
    verso_status status = prepare(sweep, again);
    if (status != VERSO_STATUS_OK || *again)
        return status;
    status = run_driver(sweep);
    if (sweep->run_report->predicted.steps > 0 && sweep->recorded == 0)
        sweep->expected = verso__mul_u64(sweep->run_report->predicted.steps, division->leaf);
    /* The stores may also refuse many states that are each a little larger than expected. */
    bool larger = status == VERSO_STATUS_IMPOSSIBLE && state->capsule_largest > state->division.capsule;
    *again = status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED && verso__scheduled_memory(sweep) != 0 &&
             (state->grown || larger);
    if (!*again || state->lost)
        return status;
    status = verso__scheduled_survey(sweep, VERSO_SURVEY_GROWTH, 0, sweep->error);
    *again = status != VERSO_STATUS_SUSPENDED;
    return *again ? status : verso__scheduled_suspend(sweep);
}

static void fill_report(sweep *sweep) {
    verso_run_report *run = sweep->run_report;
    verso_native_report *report = sweep->report;
    report->steps = sweep->recorded > 0 ? sweep->recorded : run->predicted.steps;
    report->recordings = run->predicted.recorded_steps.low + sweep->recorded;
    report->forward_steps = (uint64_t)run->forward_steps;
    uint64_t states = 0;
    bool in_tier = false; /* a tier uses the durable store, whose usage must not be counted twice */
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++) {
        report->capsules += run->predicted.peak_slots[tier];
        states += run->tiers[tier].memory_peak;
        in_tier = in_tier || run->tiers[tier].bytes_written > 0;
    }
    if (!in_tier)
        states += run->durable.memory_peak;
    /* The states use memory in which the end of the run was recorded before. */
    uint64_t before =
        sweep->recorded > 0 ? report->tape_bytes - verso__min_u64(report->tape_bytes, report->leaf_bytes) : 0;
    report->peak_bytes += states - verso__min_u64(states, before);
    verso__native_describe_schedule(&run->spec, run->predicted.steps, report);
    if (sweep->recorded > 0)
        snprintf(run->reason, sizeof run->reason,
                 "of %llu steps of %llu bytes of recording the last %llu were reversed when the run had been "
                 "recorded; the others are run again",
                 (unsigned long long)sweep->recorded, (unsigned long long)report->leaf_bytes,
                 (unsigned long long)(sweep->recorded - sweep->steps));
    else if (sweep->automatic && run->reason[0] == '\0')
        snprintf(
            run->reason, sizeof run->reason,
            "online: not everything can be recorded in %llu bytes in a single pass; steps are %llu bytes of recording, "
            "capsules up to %llu bytes",
            (unsigned long long)verso__scheduled_memory(sweep), (unsigned long long)report->leaf_bytes,
            (unsigned long long)sweep->program.division.capsule);
}

/* Clears the adjoints of a sweep that has failed half-way. */
static void clear_adjoints(sweep *sweep) {
    verso__native_now.frame = verso__native_frames();
    (void)verso__native_shadow_end(NULL, 0);
    verso__native_shadow_begin();
    verso__native_parts_begin();
    sweep->program.reversed = false;
}

/* Abandons the run in its directory: reports and counts that, and stores the sizes that were found. */
static verso_status abandon_run(sweep *sweep) {
    char sentence[VERSO_MESSAGE_MAX];
    verso_error *error = sweep->error;
    sweep->survey.begun_anew++;
    verso__scheduled_note_sizes(sweep);
    verso_status status = verso__native_survey_keep_sizes(&sweep->durable, &sweep->survey, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_durable_abandon(&sweep->durable, error);
    snprintf(sentence, sizeof sentence,
             "the run in '%.200s' begins anew: it needs more memory than expected when its budget of "
             "%llu bytes was divided",
             sweep->durable.directory, (unsigned long long)verso__scheduled_memory(sweep));
    if (sweep->run.notice != NULL)
        sweep->run.notice(sweep->run.notice_context, sentence);
    return status;
}

verso_status verso__scheduled_begin_anew(sweep *sweep) {
    if (sweep->program.reversed)
        clear_adjoints(sweep);
    sweep->recorded = 0;
    sweep->program.rest_reversed = false;
    if (verso__native_tape_is_full())
        verso__scheduled_measure_longer(sweep);
    if (sweep->stopped)
        return verso__scheduled_suspend(sweep);
    verso_status status = sweep->durable.continued ? abandon_run(sweep) : VERSO_STATUS_OK;
    return status == VERSO_STATUS_OK ? verso__native_ranks_refuse_again(sweep->error) : status;
}

verso_status verso__scheduled_drive(sweep *sweep) {
    verso_status status = VERSO_STATUS_OK;
    bool again = true;
    for (int i = 0; again && i < DIVISIONS_MOST; i++) {
        again = false;
        status = verso__scheduled_divide(sweep);
        if (status == VERSO_STATUS_OK)
            status = play(sweep, &again);
        if (again) {
            status = verso__scheduled_begin_anew(sweep);
            if (status != VERSO_STATUS_OK)
                return status;
        }
    }
    if (again)
        return verso__fail(sweep->error, VERSO_STATUS_IMPOSSIBLE,
                           "the run needs more memory each time that it is tried: the budget of %llu bytes was "
                           "divided %d times; give a larger budget",
                           (unsigned long long)verso__scheduled_memory(sweep), DIVISIONS_MOST);
    if (status == VERSO_STATUS_OK && sweep->durable.directory != NULL)
        verso__native_survey_forget(&sweep->durable);
    fill_report(sweep);
    return status;
}
