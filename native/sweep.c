/* Recording a run and reversing it. See native.h, and state.h for what generated code does meanwhile. */
#include "native/native.h"

#include "base/system.h"

#include <string.h>

/* ---- Running the job ---- */

/* The last record to be reversed: the outermost function hands over to nobody. */
static void push_bottom(void) {
    memset(verso_native_tape(), 0, 16);
    verso_native_now.tape = verso_native_tape() + 16;
}

/* What it returns to may be another process, where the job lies elsewhere. */
static void run_job(void) {
    const verso_native_job *job = verso_native_runtime.job;
    if (job->run != NULL)
        job->run(job->context);
    else {
        double value = job->f(job->x, job->n);
        verso_native_runtime.job->value = value;
    }
}

void verso_native_start(verso_native_mode mode) {
    if (mode == VERSO_NATIVE_RECORD || mode == VERSO_NATIVE_ADVANCE)
        push_bottom();
    verso_native_now.last = NULL;
    verso_native_stack_start(run_job);
}

verso_native_outcome verso_native_go(verso_native_mode mode) {
    verso_native_now.mode = mode;
    verso_native_outcome outcome = verso_native_calls_go(verso_native_stack_go());
    verso_native_now.mode = VERSO_NATIVE_PRIMAL;
    if (outcome == VERSO_NATIVE_FAILED)
        verso_native_fixed_abandon();
    return outcome;
}

verso_status verso_native_failure(verso_error *error) {
    const verso_error *failure = &verso_native_runtime.failure;
    return verso_fail(error, failure->status, "%s", failure->message);
}

verso_status verso_native_recorded(verso_error *error) {
    if (verso_native_now.last != NULL)
        return VERSO_OK;
    return verso_fail(error, VERSO_INVALID,
                      "the function has recorded nothing: it was not compiled by `verso cc`, or was not seen to reach "
                      "this call when the program was linked; compile it with `verso cc`, and pass it by its name.");
}

char *verso_native_safepoint(char *tape, uint64_t count, const verso_native_site *site) {
    if (verso_native_runtime.fixed.depth != 0)
        return verso_native_fixed_pass(tape);
    if (verso_native_runtime.walk.on && !verso_native_runtime.calls.again)
        return verso_native_walk_pass(tape, count, site);
    return verso_native_call_pass(tape);
}

int verso_native_stop(uint64_t count, const verso_native_site *site) {
    if (verso_native_runtime.offload != NULL)
        verso_native_offload_stop();
    return verso_native_runtime.walk.on && verso_native_walk_stop(count, site);
}

/* ---- Reversing ---- */

void verso_native_seed(const verso_native_job *job) {
    memset(verso_native_now.argument, 0, sizeof verso_native_now.argument);
    memset(verso_native_now.result, 0, sizeof verso_native_now.result);
    verso_native_now.result[0] = job->run == NULL ? job->weight : 0;
    for (size_t i = 0; i < job->of_count; i++) {
        const verso_array *region = &job->of[i];
        size_t size = verso_native_scalar_size(region->type);
        for (size_t j = 0; j < region->count; j++)
            verso_native_sweep_read((char *)region->data + j * size, verso_native_kind_of(region->type),
                                    region->derivative[j], NULL);
    }
}

static void trampoline(void) {
    while (verso_native_now.next != NULL)
        verso_native_now.next();
}

/* From state.next to the end of what is recorded, or to a checkpointed call. */
static verso_native_outcome sweep_on(void) {
    if (verso_native_offload_turn(&verso_native_runtime.failure) != VERSO_OK)
        return VERSO_NATIVE_FAILED;
    verso_native_stack_start(trampoline);
    verso_native_runtime.reversing = true;
    verso_native_outcome outcome = verso_native_go(VERSO_NATIVE_PRIMAL);
    verso_native_runtime.reversing = false;
    return outcome;
}

verso_status verso_native_reverse_tape(const verso_native_site *from, verso_error *error) {
    verso_native_now.next = from != NULL ? from->reverse : verso_native_now.last;
    verso_native_now.entry = from != NULL ? from->resume : 0;
    verso_native_outcome outcome = sweep_on();
    while (outcome == VERSO_NATIVE_SUSPENDED) {
        verso_status status = verso_native_call_record(error);
        if (status != VERSO_OK)
            return status;
        outcome = sweep_on();
    }
    if (outcome == VERSO_NATIVE_FAILED)
        return verso_native_failure(error);
    if (verso_native_now.tape != verso_native_tape())
        return verso_fail(
            error, VERSO_CORRUPT,
            "the reverse sweep left %lld bytes of the recording: code that was not compiled by `verso cc` "
            "has called code that was, or Verso has a bug.",
            (long long)(verso_native_now.tape - verso_native_tape()));
    return VERSO_OK;
}

static verso_status frames_empty(verso_error *error) {
    if (verso_native_now.frame == verso_native_frames())
        return VERSO_OK;
    return verso_fail(error, VERSO_CORRUPT, "the reverse sweep left %lld bytes of frames: Verso has a bug.",
                      (long long)(verso_native_now.frame - verso_native_frames()));
}

/* `calls`: NULL when none is checkpointed. */
static verso_status sweep_at_one_go(verso_native_job *job, const verso_native_options *options,
                                    verso_native_calls *calls, verso_native_report *report) {
    double began = verso_now();
    verso_native_now.tape_stop = NULL;
    verso_native_start(VERSO_NATIVE_RECORD);
    if (verso_native_go(VERSO_NATIVE_RECORD) == VERSO_NATIVE_FAILED)
        return verso_native_failure(&report->error);
    verso_status status = verso_native_recorded(&report->error);
    if (status == VERSO_OK && calls != NULL)
        status = verso_native_calls_turn(calls, &report->error);
    if (status != VERSO_OK)
        return status;
    report->steps = report->recordings = 1;
    report->tape_bytes = report->turn_bytes = (size_t)(verso_native_now.tape - verso_native_tape());
    double recorded = verso_now();
    report->seconds_forward = recorded - began;
    verso_native_seed(job);
    status = verso_native_reverse_tape(NULL, &report->error);
    report->seconds_reverse = verso_now() - recorded;
    verso_native_tell_one_go(options, report);
    return status;
}

verso_status verso_native_calls_sweep(verso_native_job *job, const verso_native_options *options, verso_calltree *tree,
                                      verso_native_report *report) {
    verso_native_calls calls = {0};
    verso_native_runtime.calls.on = true;
    verso_native_runtime.calls.tree = tree;
    verso_native_runtime.calls.last = verso_native_tape();
    verso_status status = verso_native_calls_start(&calls, &report->error);
    if (status == VERSO_OK)
        status = sweep_at_one_go(job, options, &calls, report);
    verso_native_calls_end(&calls, report);
    verso_native_runtime.calls.tree = NULL;
    return status;
}

verso_status verso_native_sweep(verso_native_job *job, const verso_native_options *options,
                                verso_native_report *report) {
    bool calls = verso_native_calls_begin() || options->profile != NULL;
    bool repeated = calls || options->cuts != 0 || options->run != NULL;
    verso_native_now.frame = verso_native_frames();
    if (repeated)
        verso_native_world_open();
    verso_status status = options->profile != NULL ? verso_native_profile_sweep(job, options, report)
                          : options->cuts != 0     ? verso_native_cut_sweep(job, options, report)
                          : options->run != NULL   ? verso_native_scheduled_sweep(options, report)
                          : calls                  ? verso_native_calls_sweep(job, options, NULL, report)
                                                   : sweep_at_one_go(job, options, NULL, report);
    if (repeated)
        report->peak_bytes += verso_native_world_close();
    return status == VERSO_OK ? frames_empty(&report->error) : status;
}
