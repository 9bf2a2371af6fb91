/* Tests the driver on a small loop: the gradient has the same bits under every schedule and with every store, and the
 * counts of the report are as predicted. */
#include "tests/support/toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "tests/support/folder.h"

typedef struct way {
    bool files, foreground, durable;
    int compression;
    verso_place first_tier;
} way;

static const way ways[] = {
    {.files = true, .foreground = true},
    {.files = true},
    {.files = true, .durable = true, .compression = 1},
    {.files = true, .durable = true, .foreground = true, .first_tier = VERSO_PLACE_FILES},
    {.files = true, .first_tier = VERSO_PLACE_FILES},
};

static bool one_tier(verso_schedule_kind kind) {
    return kind != VERSO_KIND_DISK && kind != VERSO_KIND_PERIODIC && kind != VERSO_KIND_LEVELS &&
           kind != VERSO_KIND_TWO_LEVEL;
}

static void compare_counts(const verso_run_report *report, const char *what) {
    const verso__cost read = verso__cost_read(&report->predicted), *cost = &read;
    bool same = report->reversed_steps == cost->recorded_steps && report->recovered_steps == 0;
    /* A slot holds a state in the place of a record, so `record` runs its steps forward, and `sweep` records them. */
    verso__wide records = report->spec.kind == VERSO_KIND_MIXED ? report->forward_steps - cost->forward_steps : 0;
    same = same && report->forward_steps - records == cost->forward_steps && records <= cost->recorded_steps;
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
        same = same && report->writes[tier] == cost->writes[tier] && report->reads[tier] == cost->reads[tier];
    if (!same)
        fail_msg("%s: what was counted is not what was predicted", what);
}

static void play(const verso_schedule_spec *spec, uint64_t steps, const way *way, const toy_result *expected) {
    toy model;
    toy_open(&model, steps, spec->steps != VERSO_UNKNOWN);
    verso_run_options options;
    verso_run_options_init(&options);
    options.spec = *spec;
    char *folder = way != NULL ? folder_new() : NULL;
    if (way != NULL) {
        options.directory = folder;
        options.scratch = !way->durable;
        options.foreground = way->foreground;
        options.compression = way->compression;
        options.places[0] = way->first_tier;
    }
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    verso_error error = {0};
    char what[200];
    snprintf(what, sizeof what, "%s, %llu steps, %llu slots, way %td", verso_kind_word(spec->kind),
             (unsigned long long)steps, (unsigned long long)spec->slots, way != NULL ? way - ways : -1);
    verso_status status = verso_run(&model.program, &options, &report, &error);
    if (status != VERSO_STATUS_OK)
        fail_msg("%s: %s", what, error.message);
    toy_result result = toy_result_of(&model);
    if (!toy_equal(&result, expected))
        fail_msg("%s: another gradient", what);
    compare_counts(&report, what);
    assert_true(report.done);
    toy_close(&model);
    if (folder != NULL)
        folder_remove(folder);
}

/* Kinds that refuse these numbers (single-recovery with one slot) are skipped: what is refused is tested elsewhere. */
static bool possible(const verso_schedule_spec *spec) {
    verso_schedule *schedule = NULL;
    bool yes = verso_schedule_new(spec, &schedule, NULL) == VERSO_STATUS_OK;
    verso_schedule_free(schedule);
    return yes;
}

static void all_kinds(uint64_t steps, uint64_t slots, const way *way) {
    toy_result expected = toy_reference(steps);
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = toy_spec((verso_schedule_kind)kind, steps, slots);
        if (possible(&spec) && (way != NULL || one_tier(spec.kind)))
            play(&spec, steps, way, &expected);
        if (kind != VERSO_KIND_ONLINE)
            continue;
        spec.steps = VERSO_UNKNOWN;
        play(&spec, steps, way, &expected);
        spec.with_disk = true;
        if (way != NULL)
            play(&spec, steps, way, &expected);
    }
}

static void all_kinds_in_memory(void **state) {
    (void)state;
    for (uint64_t steps = 0; steps <= 24; steps++)
        for (uint64_t slots = 1; slots <= steps + 1; slots++)
            all_kinds(steps, slots, NULL);
    const uint64_t more[] = {100, 500, 2000};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        for (uint64_t slots = 3; slots < 60; slots += 19)
            all_kinds(more[i], slots, NULL);
}

static void all_kinds_with_files(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (uint64_t steps = 0; steps <= 6; steps++)
            all_kinds(steps, 2, &ways[i]);
        all_kinds(40, 3, &ways[i]);
    }
    all_kinds(500, 5, &ways[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_in_memory),
        cmocka_unit_test(all_kinds_with_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
