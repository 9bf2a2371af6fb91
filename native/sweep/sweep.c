/* Records a run and reverses it. See sweep.h, and native/state.h for what generated code does meanwhile. */
#include "native/sweep/inside.h"

#include "native/sweep/ranks.h"

#include "base/system.h"

#include <string.h>

/* ---- Running the job ---- */

/* Writes the record that is reversed last: the outermost function has no reverse function to hand over to. */
static void push_bottom(void) {
    memset(verso__native_tape(), 0, 16);
    verso__native_now.tape = verso__native_tape() + 16;
}

/* The job is read again after the call: it may return in another process, where the job has another address. */
static void run_job(void) {
    const verso__native_job *job = verso__native_job_now();
    if (job->run != NULL)
        job->run(job->context);
    else {
        double value = job->f(job->x, job->n);
        verso__native_job_now()->value = value;
    }
}

void verso__native_start(verso__native_mode mode) {
    if (mode == VERSO_NATIVE_RECORD || mode == VERSO_NATIVE_ADVANCE)
        push_bottom();
    verso__native_now.last = NULL;
    verso__native_now.locals = NULL;
    verso__native_stack_start(run_job);
}

verso__native_outcome verso__native_go(verso__native_mode mode) {
    verso__native_set_mode(mode);
    verso__native_outcome outcome = verso__native_calls_go(verso__native_run_go());
    verso__native_now.mode = VERSO_NATIVE_PRIMAL;
    if (outcome == VERSO_NATIVE_FAILED)
        verso__native_fixed_abandon();
    return outcome;
}

verso_status verso__native_failure(verso_error *error) {
    const verso_error *failure = verso__native_failure_now();
    return verso__fail(error, failure->status, "%s", failure->message);
}

verso_status verso__native_require_recording(verso_error *error) {
    if (verso__native_now.last != NULL)
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "the function has recorded nothing: it was not compiled by `verso cc`, or was not seen to reach "
                       "this call when the program was linked; compile it with `verso cc`, and pass it by its name");
}

char *verso__native_safepoint(char *tape, uint64_t count, const verso__native_site *site) {
    if (verso__native_fixed_is_recorded())
        return verso__native_fixed_pass(tape);
    if (verso__native_walk_now.on && !verso__native_calls_now.again)
        return verso__native_walk_pass(tape, count, site);
    return verso__native_call_pass(tape);
}

int verso__native_stop(uint64_t count, const verso__native_site *site) {
    if (verso__native_offload_is_on())
        verso__native_offload_stop();
    return verso__native_walk_now.on && verso__native_walk_stop(count, site);
}

/* ---- Reversing ---- */

void verso__native_seed(const verso__native_job *job) {
    memset(verso__native_now.argument, 0, sizeof verso__native_now.argument);
    memset(verso__native_now.result, 0, sizeof verso__native_now.result);
    verso__native_now.result[0] = job->run == NULL ? job->weight * verso__native_ranks_weight() : 0;
    for (size_t i = 0; i < job->of_count; i++) {
        const verso_array *region = &job->of[i];
        size_t size = verso__native_scalar_size(region->type);
        for (size_t j = 0; j < region->count; j++)
            verso__native_sweep_read((char *)region->data + j * size, verso__native_kind_of(region->type),
                                     region->derivative[j], NULL);
    }
}

static void trampoline(void) {
    while (verso__native_now.next != NULL)
        verso__native_now.next();
}

/* The same where a signal ends the run. */
static void heeding_trampoline(void) {
    while (verso__native_now.next != NULL) {
        verso__native_now.next();
        verso__native_tape_heed_signals();
    }
}

/* Runs the sweep from where it is to the beginning of the recording, or to a checkpointed call. */
static verso__native_outcome sweep_on(void) {
    if (verso__native_offload_prepare_sweep(verso__native_failure_now()) != VERSO_STATUS_OK)
        return VERSO_NATIVE_FAILED;
    verso__native_tape_set_reversing(true);
    verso__native_outcome outcome = verso__native_go(VERSO_NATIVE_PRIMAL);
    verso__native_tape_set_reversing(false);
    return outcome;
}

verso_status verso__native_reverse_tape(const verso__native_site *from, verso_error *error) {
    verso__native_now.next = from != NULL ? from->reverse : verso__native_now.last;
    verso__native_now.entry = from != NULL ? from->resume : 0;
    verso__native_stack_start(verso__native_tape_is_interrupted() ? heeding_trampoline : trampoline);
    verso__native_outcome outcome = sweep_on();
    while (outcome == VERSO_NATIVE_SUSPENDED) {
        verso_status status = verso__native_profile_has_reached_limit(verso__native_now.tape)
                                  ? VERSO_STATUS_SUSPENDED
                                  : verso__native_call_record(error);
        if (status != VERSO_STATUS_OK)
            return status;
        outcome = sweep_on();
    }
    if (outcome == VERSO_NATIVE_FAILED)
        return verso__native_failure(error);
    if (verso__native_now.tape != verso__native_tape())
        return verso__fail(
            error, VERSO_STATUS_CORRUPT,
            "the reverse sweep left %lld bytes of the recording: code that was not compiled by `verso cc` "
            "has called code that was, or this is an internal error (please report it)",
            (long long)(verso__native_now.tape - verso__native_tape()));
    return VERSO_STATUS_OK;
}

verso_status verso__native_single_pass(verso__native_job *job, verso__native_calls *calls, verso_native_report *report,
                                       verso_error *error) {
    double began = verso__now();
    verso__native_now.tape_stop = NULL;
    verso__native_team_set_parallel(calls == NULL && !verso__native_offload_is_on() &&
                                    !verso__native_tape_is_limited());
    verso__native_start(VERSO_NATIVE_RECORD);
    if (verso__native_go(VERSO_NATIVE_RECORD) == VERSO_NATIVE_FAILED)
        return verso__native_failure(error);
    if (verso__native_calls_now.request == VERSO_NATIVE_CALL_CUT)
        return VERSO_STATUS_SUSPENDED;
    verso_status status = verso__native_require_recording(error);
    if (status == VERSO_STATUS_OK && calls != NULL)
        status = verso__native_calls_turn(calls, error);
    if (status != VERSO_STATUS_OK)
        return status;
    report->steps = report->recordings = 1;
    report->tape_bytes = report->turn_bytes =
        (size_t)(verso__native_now.tape - verso__native_tape()) + verso__native_team_bytes();
    double recorded = verso__now();
    report->seconds_forward = recorded - began;
    status = verso__native_ranks_turn(job, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_seed(job);
    status = verso__native_reverse_tape(NULL, error);
    report->seconds_reverse = verso__now() - recorded;
    return status;
}
