/* The schedule of a gradient in words, and the run report of a single pass: see describe.h. */
#include "native/budget/budget.h"

#include "schedule/words.h"

#include <stdio.h>
#include <string.h>

static verso_status keep_text(void *context, const char *text, size_t size) {
    verso_native_report *report = context;
    snprintf(report->schedule, sizeof report->schedule, "%.*s", (int)size, text);
    return VERSO_STATUS_OK;
}

void verso__native_describe_schedule(const verso_schedule_spec *spec, uint64_t steps, verso_native_report *report) {
    verso__text text = {.sink = keep_text, .context = report};
    if (steps < report->steps)
        verso__text_string(&text, "end in a single pass; ");
    verso__spec_title(spec, steps, &text);
    (void)verso__text_close(&text);
}

void verso__native_describe_single_pass(const verso_native_options *options, verso_native_report *report) {
    static const char reason[] = "everything is recorded in a single pass, and nothing is computed again";
    verso_run_report *run = options->run_report;
    strcpy(report->schedule, "single pass");
    if (run == NULL)
        return;
    *run = (verso_run_report){.size = sizeof *run,
                              .done = true,
                              .predicted = {.steps = 1, .recorded_steps = {.low = 1}, .longest_recording = 1},
                              .reversed_steps = 1,
                              .memory_budget = report->budget_bytes,
                              .seconds = report->seconds_forward + report->seconds_reverse,
                              .seconds_process = report->seconds_forward + report->seconds_reverse,
                              .seconds_reverse = report->seconds_forward + report->seconds_reverse};
    verso_schedule_spec_init(&run->spec, VERSO_KIND_STORE_ALL);
    run->spec.steps = 1;
    memcpy(run->reason, reason, sizeof reason);
}
