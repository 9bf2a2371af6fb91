/* What is told about a gradient: the name of its schedule, the run report of one that was recorded at one go, and the
 * files that VERSO_REPORT, VERSO_PROFILE and VERSO_MEASURE name. See native.h. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "schedule/words.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* ---- Words ---- */

static verso_status keep_text(void *context, const char *text, size_t size) {
    verso_native_report *report = context;
    snprintf(report->schedule, sizeof report->schedule, "%.*s", (int)size, text);
    return VERSO_OK;
}

void verso_native_tell_schedule(const verso_schedule_spec *spec, uint64_t steps, verso_native_report *report) {
    verso_text text = {.sink = keep_text, .context = report};
    if (steps < report->steps)
        verso_text_string(&text, "end at one go; ");
    verso_spec_title(spec, steps, &text);
    (void)verso_text_close(&text);
}

void verso_native_tell_one_go(const verso_native_options *options, verso_native_report *report) {
    static const char reason[] = "everything is recorded at one go, and nothing is computed again";
    verso_run_report *run = options->run_report;
    strcpy(report->schedule, "at one go");
    if (run == NULL)
        return;
    *run = (verso_run_report){.done = true,
                              .predicted = {.steps = 1, .recorded_steps = 1, .longest_recording = 1},
                              .reversed_steps = 1,
                              .memory_budget = report->budget_bytes,
                              .seconds = report->seconds_forward + report->seconds_reverse,
                              .seconds_process = report->seconds_forward + report->seconds_reverse,
                              .seconds_reverse = report->seconds_forward + report->seconds_reverse};
    verso_schedule_spec_init(&run->spec, VERSO_KIND_STORE_ALL);
    run->spec.steps = 1;
    memcpy(run->reason, reason, sizeof reason);
}

/* ---- A file ---- */

typedef struct report_file {
    const char *path;
    verso_file file;
    verso_error why; /* the file's first failure */
} report_file;

static verso_status write_bytes(void *context, const char *text, size_t size) {
    report_file *to = context;
    return verso_file_write(&to->file, text, size, &to->why);
}

static verso_status write_report(report_file *to, const verso_run_report *run, verso_error *error) {
    bool page = strcmp(strrchr(to->path, '.'), ".html") == 0;
    verso_status status =
        page ? verso_report_html(run, write_bytes, to, NULL) : verso_report_json(run, write_bytes, to, NULL);
    if (status == VERSO_OK)
        status = verso_file_close(&to->file, &to->why);
    if (status == VERSO_OK)
        return VERSO_OK;
    return verso_fail(error, status, "the report: %.400s",
                      to->why.message[0] != '\0' ? to->why.message : verso_status_text(status));
}

/* A gradient, and its profile in a file: the first in a process, which is at one go whatever is said of budgets. */
static verso_status reverse_profiled(verso_native_job *job, const char *path, const verso_native_options *options,
                                     verso_native_report *report) {
    verso_profile *own = NULL;
    verso_native_options chosen = *options;
    if (path == NULL || verso_native_runtime.profiled)
        return verso_native_reverse(job, options, report);
    if (chosen.profile == NULL)
        chosen.profile = &own;
    chosen.run = NULL;
    verso_status status = verso_native_reverse(job, &chosen, report);
    if (status == VERSO_OK)
        status = verso_profile_write(*chosen.profile, path, &report->error);
    verso_native_runtime.profiled = status == VERSO_OK;
    verso_profile_free(own);
    return status;
}

/* The file is made before the run, so that a path that cannot be written costs no run. A run that fails has no report.
 */
static verso_status reverse_with_file(verso_native_job *job, const char *path, const char *profile,
                                      const verso_native_options *options, verso_native_report *report) {
    report_file to = {.path = path};
    verso_status status = verso_file_open(&verso_system_machine, path, O_WRONLY | O_CREAT | O_TRUNC, &to.file, &to.why);
    if (status != VERSO_OK)
        return verso_fail(&report->error, status, "the report: %.400s", to.why.message);
    status = reverse_profiled(job, profile, options, report);
    if (status == VERSO_OK)
        status = write_report(&to, options->run_report, &report->error);
    else if (status == VERSO_SUSPENDED)
        (void)write_report(&to, options->run_report, NULL);
    else
        (void)verso_file_remove(&verso_system_machine, path, NULL);
    (void)verso_file_close(&to.file, NULL);
    return status;
}

/* With a report, if one is wanted. What the caller gets is filled in last of all: it may be part of the memory that the
 * sweep puts back. */
static verso_status reverse_reported(verso_native_job *job, const verso_native_settings *settings,
                                     const verso_native_options *options, verso_native_report *report) {
    verso_native_options chosen = *options;
    if (options->run_report == NULL && settings->report == NULL)
        return reverse_profiled(job, settings->profile, options, report);
    chosen.run_report = verso_alloc(1, sizeof *chosen.run_report);
    if (chosen.run_report == NULL)
        return verso_fail(&report->error, VERSO_NO_MEMORY, "no memory for the report of the run.");
    verso_status status = settings->report != NULL
                              ? reverse_with_file(job, settings->report, settings->profile, &chosen, report)
                              : reverse_profiled(job, settings->profile, &chosen, report);
    if (options->run_report != NULL)
        *options->run_report = *chosen.run_report;
    verso_dealloc(chosen.run_report);
    return status;
}

/* ---- A line ---- */

static verso_status add_line(const char *path, const verso_native_report *report, verso_error *error) {
    report_file to = {.path = path};
    verso_status status = verso_file_open(&verso_system_machine, path, O_WRONLY | O_CREAT | O_APPEND, &to.file, error);
    if (status != VERSO_OK)
        return status;
    verso_text text = {.sink = write_bytes, .context = &to};
    verso_text_print(&text, "{\"tape_bytes\": %zu, \"turn_bytes\": %zu, \"peak_bytes\": %zu, \"seconds_forward\": %s, ",
                     report->tape_bytes, report->turn_bytes, report->peak_bytes,
                     verso_shortest(report->seconds_forward).text);
    verso_text_print(&text, "\"seconds_reverse\": %s, \"seconds_processor\": %s, \"schedule\": \"%s\"}\n",
                     verso_shortest(report->seconds_reverse).text, verso_shortest(report->seconds_processor).text,
                     report->schedule);
    status = verso_text_close(&text);
    if (status == VERSO_OK)
        status = verso_file_close(&to.file, &to.why);
    (void)verso_file_close(&to.file, NULL);
    return status == VERSO_OK ? status : verso_fail(error, status, "%.400s", to.why.message);
}

verso_status verso_native_reverse_told(verso_native_job *job, verso_native_settings *settings,
                                       const verso_native_options *options, verso_native_report *report) {
    verso_native_options chosen;
    verso_run_options run;
    verso_status status = verso_native_sites_told(settings, &report->error);
    settings->plan = verso_native_runtime.plan;
    if (status == VERSO_OK)
        status = verso_native_settings_apply(settings, options, &chosen, &run, &report->error);
    if (status == VERSO_OK)
        status = reverse_reported(job, settings, &chosen, report);
    if (status == VERSO_OK && settings->measure != NULL)
        status = add_line(settings->measure, report, &report->error);
    return status;
}
