/* Implements trial.h. */
#include "tests/support/trial.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const trial_case trial_cases[TRIAL_CASES] = {
    {.word = "disk", .kind = VERSO_KIND_DISK, .slots = 2},
    {.word = "resilient", .kind = VERSO_KIND_RESILIENT, .slots = 4},
    {.word = "online", .kind = VERSO_KIND_ONLINE, .slots = 3, .unknown = true, .with_disk = true},
    {.word = "revolve", .kind = VERSO_KIND_REVOLVE, .slots = 3},
};

static void take_notice(void *context, const char *sentence) {
    trial *one = context;
    size_t length = strlen(one->notices);
    snprintf(one->notices + length, sizeof one->notices - length, "%s\n", sentence);
}

void trial_open(trial *one, const trial_case *what, uint64_t steps, const char *directory) {
    memset(one, 0, sizeof *one);
    toy_open(&one->model, steps, !what->unknown);
    verso_run_options *options = &one->options;
    verso_run_options_init(options);
    options->spec = toy_spec(what->kind, what->unknown ? VERSO_UNKNOWN : steps, what->slots);
    if (what->unknown)
        options->spec.distance = options->spec.adjoint_distance = 1;
    options->spec.with_disk = what->with_disk;
    options->directory = directory;
    options->places[0] = what->first_tier;
    options->foreground = true;
    options->notice = take_notice;
    options->notice_context = one;
}

verso_status trial_run(trial *one) {
    verso__system_replace(one->system);
    one->report = (verso_run_report)VERSO_RUN_REPORT_INIT;
    one->status = verso_run(&one->model.program, &one->options, &one->report, &one->error);
    verso__system_replace(NULL);
    one->result = toy_result_of(&one->model);
    return one->status;
}

void trial_close(trial *one) {
    toy_close(&one->model);
}

void trial_must_end(const trial_case *what, uint64_t steps, const char *directory, const toy_result *expected,
                    const char *text) {
    trial *one = malloc(sizeof *one);
    assert_non_null(one);
    trial_open(one, what, steps, directory);
    if (trial_run(one) != VERSO_STATUS_OK)
        fail_msg("%s: %s", text, one->error.message);
    if (!toy_equal(&one->result, expected))
        fail_msg("%s: another gradient", text);
    trial_close(one);
    free(one);
}

size_t trial_descriptors(void) {
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL)
        return 0;
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}
