/* A gradient with the settings of the environment, and the files that VERSO_REPORT, VERSO_PROFILE and
 * VERSO_MEASURE name. See api.h. */
#include "native/api/api.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/sized.h"
#include "drive/signals.h"
#include "schedule/words.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool profiled; /* the file of VERSO_PROFILE was written */

/* ---- Reports and profiles ---- */

typedef struct report_file {
    const char *path;
    verso__file file;
    verso_error why; /* the first failure of the file */
} report_file;

static verso_status write_bytes(void *context, const char *text, size_t size) {
    report_file *to = context;
    return verso__file_write(&to->file, text, size, &to->why);
}

static verso_status write_report(report_file *to, const verso_run_report *run, verso_error *error) {
    bool page = strcmp(strrchr(to->path, '.'), ".html") == 0;
    verso_status status =
        page ? verso_report_html(run, write_bytes, to, NULL) : verso_report_json(run, write_bytes, to, NULL);
    if (status == VERSO_STATUS_OK)
        status = verso__file_close(&to->file, &to->why);
    if (status == VERSO_STATUS_OK)
        return VERSO_STATUS_OK;
    return verso__fail(error, status, "the report: %.400s",
                       to->why.message[0] != '\0' ? to->why.message : verso_status_text(status));
}

/* Computes a gradient and writes its profile to a file: for the first gradient of a process, in a single pass,
 * whatever budget is set. A profile that was cut is written, too, and ends the process, because the program
 * would take the result for a gradient. */
static verso_status reverse_profiled(verso__native_job *job, const verso__native_profile_text *text,
                                     const verso_native_options *options, verso_native_report *report,
                                     verso_error *error) {
    verso_profile *own = NULL;
    verso_native_options chosen = *options;
    if (text->path[0] == '\0' || profiled)
        return verso__native_reverse(job, options, report, error);
    if (chosen.profile == NULL)
        chosen.profile = &own;
    chosen.run = NULL;
    verso__native_profile_set_limits((verso__native_profile_limits){
        .on = true, .seconds = text->seconds, .memory = text->memory, .progress = text->progress});
    verso_status status = verso__native_reverse(job, &chosen, report, error);
    bool cut = status == VERSO_STATUS_SUSPENDED;
    verso__native_profile_set_limits((verso__native_profile_limits){0});
    if (status == VERSO_STATUS_OK || cut)
        status = verso_profile_write(*chosen.profile, text->path, error);
    if (status == VERSO_STATUS_OK && cut) {
        fflush(NULL);
        _Exit(VERSO_EXIT_SUSPENDED);
    }
    profiled = status == VERSO_STATUS_OK;
    verso_profile_free(own);
    return status;
}

/* Creates the file before the run, so that a path that cannot be written costs no run. A run that fails leaves
 * no report. */
static verso_status reverse_with_file(verso__native_job *job, const char *path,
                                      const verso__native_profile_text *profile, const verso_native_options *options,
                                      verso_native_report *report, verso_error *error) {
    report_file to = {.path = path};
    verso_status status =
        verso__file_open(&verso__system_machine, path, O_WRONLY | O_CREAT | O_TRUNC, &to.file, &to.why);
    if (status != VERSO_STATUS_OK)
        return verso__fail(error, status, "the report: %.400s", to.why.message);
    status = reverse_profiled(job, profile, options, report, error);
    if (status == VERSO_STATUS_OK)
        status = write_report(&to, options->run_report, error);
    else if (status == VERSO_STATUS_SUSPENDED)
        (void)write_report(&to, options->run_report, NULL);
    else
        (void)verso__file_remove(&verso__system_machine, path, NULL);
    (void)verso__file_close(&to.file, NULL);
    return status;
}

/* Computes a gradient with a report, if one is requested. The caller's report is filled in last of all, because
 * it may be part of the memory that the sweep puts back. */
static verso_status reverse_reported(verso__native_job *job, const verso__native_settings *settings,
                                     const verso_native_options *options, verso_native_report *report,
                                     verso_error *error) {
    verso_native_options chosen = *options;
    if (options->run_report == NULL && settings->report == NULL)
        return reverse_profiled(job, &settings->profile, options, report, error);
    chosen.run_report = verso__alloc(1, sizeof *chosen.run_report);
    if (chosen.run_report == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the report of the run");
    *chosen.run_report = (verso_run_report)VERSO_RUN_REPORT_INIT;
    verso_status status = settings->report != NULL
                              ? reverse_with_file(job, settings->report, &settings->profile, &chosen, report, error)
                              : reverse_profiled(job, &settings->profile, &chosen, report, error);
    if (options->run_report != NULL)
        verso__sized_write(options->run_report, chosen.run_report, sizeof *chosen.run_report);
    verso__dealloc(chosen.run_report);
    return status;
}

/* ---- Measurements ---- */

static verso_status add_line(const char *path, const verso_native_report *report, verso_error *error) {
    report_file to = {.path = path};
    verso_status status =
        verso__file_open(&verso__system_machine, path, O_WRONLY | O_CREAT | O_APPEND, &to.file, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__text text = {.sink = write_bytes, .context = &to};
    verso__text_print(
        &text, "{\"tape_bytes\": %zu, \"turn_bytes\": %zu, \"peak_bytes\": %zu, \"seconds_forward\": %s, ",
        report->tape_bytes, report->turn_bytes, report->peak_bytes, verso__shortest(report->seconds_forward).text);
    verso__text_print(&text, "\"seconds_reverse\": %s, \"seconds_processor\": %s, \"schedule\": \"%s\"}\n",
                      verso__shortest(report->seconds_reverse).text, verso__shortest(report->seconds_processor).text,
                      report->schedule);
    status = verso__text_close(&text);
    if (status == VERSO_STATUS_OK)
        status = verso__file_close(&to.file, &to.why);
    (void)verso__file_close(&to.file, NULL);
    return status == VERSO_STATUS_OK ? status : verso__fail(error, status, "%.400s", to.why.message);
}

/* ---- The end of a process ---- */

/* Ends the process after a run was suspended whose caller did not ask for that and would take the result for a
 * gradient: by the signal, as it would end without a run directory; or, at a time limit, with
 * VERSO_EXIT_SUSPENDED. The program's own handler of the signal runs first. */
static _Noreturn void end_suspended(int number) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t mask;
    fflush(NULL);
    if (number == 0)
        _Exit(VERSO_EXIT_SUSPENDED);
    sigemptyset(&usual.sa_mask);
    sigemptyset(&mask);
    sigaddset(&mask, number);
    pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
    raise(number);
    sigaction(number, &usual, NULL);
    raise(number);
    _Exit(VERSO_EXIT_SUSPENDED);
}

verso_status verso__native_reverse_with_settings(verso__native_job *job, verso__native_settings *settings,
                                                 const verso_native_options *options, verso_native_report *report,
                                                 verso_error *error) {
    verso_native_options chosen;
    verso_run_options run;
    verso_status status = verso__native_sites_apply_settings(settings, error);
    settings->plan = *verso__native_sites_plan();
    if (status == VERSO_STATUS_OK)
        status = verso__native_settings_apply(settings, options, &chosen, &run, error);
    /* A durable run suspends at a restart point; any other run is lost, so a signal ends it wherever it is. */
    bool interrupted =
        status == VERSO_STATUS_OK && options->run != NULL && options->run->on_signal && run.directory == NULL;
    if (interrupted)
        verso__signals_catch();
    verso__native_tape_set_interrupted(interrupted);
    if (status == VERSO_STATUS_OK)
        status = reverse_reported(job, settings, &chosen, report, error);
    verso__native_tape_set_interrupted(false);
    if (interrupted)
        report->signal = verso__signals_leave();
    if (status == VERSO_STATUS_SUSPENDED && run.directory != NULL && !run.scratch &&
        !verso__native_has_own_suspension(options))
        end_suspended(report->signal);
    if (status == VERSO_STATUS_OK && settings->measure != NULL)
        status = add_line(settings->measure, report, error);
    return status;
}
