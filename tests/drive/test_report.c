/* Tests run reports: the JSON, read by an independent parser, equals the report field by field; the page is
 * well-formed for all numbers and contains what matters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include <verso/loop.h>
#include <verso/run.h>

#include "schedule/cost.h"
#include "schedule/words.h"
#include "tests/support/folder.h"
#include "tests/support/markup.h"
#include "tests/support/random_spec.h"

enum { REPORTS_A_KIND = 40 };

/* ---- Random reports ---- */

/* Returns a count of any magnitude that a parser of signed numbers can hold. */
static uint64_t any_count(random_source *source) {
    return random_below(source, UINT64_C(1) << random_below(source, 63));
}

static double any_time(random_source *source) {
    switch (random_below(source, 12)) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -1.5;
    case 3: return 0;
    case 4: return 1e300;
    case 5: return 1e-300;
    default: return (double)any_count(source) / 1e12;
    }
}

static verso_store_usage any_usage(random_source *source) {
    return (verso_store_usage){.memory = any_count(source),
                               .memory_peak = any_count(source),
                               .bytes = any_count(source),
                               .bytes_peak = any_count(source),
                               .writes = any_count(source),
                               .reads = any_count(source),
                               .bytes_written = any_count(source),
                               .bytes_read = any_count(source),
                               .seconds_written = any_time(source),
                               .seconds_read = any_time(source),
                               .seconds_waited = any_time(source)};
}

static verso__cost any_cost(random_source *source) {
    verso__cost cost = {.steps = any_count(source),
                        .forward_steps = any_count(source),
                        .recorded_steps = any_count(source),
                        .makespan = any_count(source),
                        .repetition = any_count(source),
                        .adjoint_stores = any_count(source),
                        .longest_recording = any_count(source),
                        .least_makespan = any_count(source),
                        .free_distance = any_count(source),
                        .period = random_below(source, 3) == 0 ? VERSO_UNKNOWN : any_count(source)};
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        cost.writes[i] = any_count(source);
        cost.reads[i] = any_count(source);
        cost.peak_slots[i] = any_count(source);
    }
    return cost;
}

static void any_samples(random_source *source, verso_run_report *report) {
    double seconds = 0, pace = any_time(source);
    report->sample_count = random_below(source, 2) == 0 ? random_below(source, 4) : random_below(source, 513);
    for (size_t i = 0; i < report->sample_count; i++) {
        seconds += random_below(source, 50) == 0 ? any_time(source) : pace;
        report->samples[i] = (verso_memory_sample){seconds, any_count(source)};
    }
}

static void any_report(random_source *source, verso_schedule_kind kind, verso_run_report *report) {
    *report = (verso_run_report){.size = sizeof(verso_run_report),
                                 .spec = random_spec(source, kind, 1000),
                                 .done = random_below(source, 2),
                                 .forward_steps = any_count(source),
                                 .reversed_steps = any_count(source),
                                 .adjoint_stores = any_count(source),
                                 .restarts = random_below(source, 3),
                                 .recovered_steps = random_below(source, 2) * any_count(source),
                                 .recovered_capsules = random_below(source, 3),
                                 .lost_steps = random_below(source, 2) * any_count(source),
                                 .durable = any_usage(source),
                                 .capsule_size = any_count(source),
                                 .adjoint_size = any_count(source),
                                 .memory_budget = random_below(source, 2) * any_count(source),
                                 .memory_peak = any_count(source),
                                 .seconds = any_time(source),
                                 .seconds_forward = any_time(source),
                                 .seconds_reverse = any_time(source),
                                 .seconds_process = any_time(source),
                                 .seconds_waited = any_time(source),
                                 .seconds_copying = any_time(source),
                                 .seconds_predicted = any_time(source)};
    if (kind == VERSO_KIND_ONLINE && random_below(source, 2) == 0)
        report->spec.steps = VERSO_UNKNOWN;
    if (random_below(source, 4) > 0) {
        verso__cost cost = any_cost(source);
        report->predicted = verso__cost_show(&cost);
    }
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        report->writes[i] = any_count(source);
        report->reads[i] = any_count(source);
        report->tiers[i] = any_usage(source);
    }
    for (size_t i = 0, size = random_below(source, VERSO_REASON_MAX); i < size; i++)
        report->reason[i] = (char)(1 + random_below(source, 127));
    any_samples(source, report);
}

static markup_page write(const verso_run_report *report,
                         verso_status (*writer)(const verso_run_report *, verso_sink, void *, verso_error *)) {
    markup_page page = {0};
    verso_error error = {0};
    if (writer(report, markup_keep, &page, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    return page;
}

/* ---- JSON ---- */

static void check_count(const json_t *object, const char *name, uint64_t wanted) {
    json_t *value = json_object_get(object, name);
    if (!json_is_integer(value) || (uint64_t)json_integer_value(value) != wanted)
        fail_msg("%s is not %llu", name, (unsigned long long)wanted);
}

/* null where the value is `null`. */
static void check_nullable(const json_t *object, const char *name, uint64_t wanted, uint64_t null) {
    if (wanted == null)
        assert_true(json_is_null(json_object_get(object, name)));
    else
        check_count(object, name, wanted);
}

static void check_time(const json_t *value, double wanted) {
    if (isfinite(wanted))
        assert_true(json_is_number(value) && json_number_value(value) == wanted);
    else
        assert_true(json_is_null(value));
}

static void check_counts(const json_t *object, const char *name, const uint64_t *wanted, size_t count) {
    json_t *array = json_object_get(object, name);
    assert_int_equal(json_array_size(array), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(json_integer_value(json_array_get(array, i)), wanted[i]);
}

static void check_wides(const json_t *object, const char *name, const verso__wide *wanted, size_t count) {
    uint64_t narrow[VERSO_TIERS_MAX] = {0};
    for (size_t i = 0; i < count; i++)
        narrow[i] = (uint64_t)wanted[i];
    check_counts(object, name, narrow, count);
}

static void check_word(const json_t *object, const char *name, const char *wanted) {
    assert_string_equal(json_string_value(json_object_get(object, name)), wanted);
}

static void check_spec(const json_t *json, const verso_schedule_spec *spec) {
    assert_int_equal(json_object_size(json), 15);
    check_word(json, "kind", verso_kind_word(spec->kind));
    check_nullable(json, "steps", spec->steps, VERSO_UNKNOWN);
    check_count(json, "slots", spec->slots);
    check_count(json, "forward_cost", spec->forward_cost);
    check_count(json, "backward_cost", spec->backward_cost);
    check_count(json, "write_cost", spec->write_cost);
    check_count(json, "read_cost", spec->read_cost);
    assert_int_equal(json_is_true(json_object_get(json, "with_disk")), spec->with_disk);
    json_t *tiers = json_object_get(json, "tiers");
    assert_int_equal(json_array_size(tiers), spec->tier_count);
    for (size_t i = 0; i < spec->tier_count; i++) {
        check_nullable(json_array_get(tiers, i), "capacity", spec->tiers[i].capacity, VERSO_UNKNOWN);
        check_count(json_array_get(tiers, i), "write_cost", spec->tiers[i].write_cost);
        check_count(json_array_get(tiers, i), "read_cost", spec->tiers[i].read_cost);
    }
    check_count(json, "distance", spec->distance);
    check_count(json, "adjoint_distance", spec->adjoint_distance);
    check_count(json, "leaf", spec->leaf);
    check_count(json, "space", spec->space);
    check_count(json, "time", spec->time);
    check_word(json, "split", verso_split_word(spec->split));
}

static void check_predicted(const json_t *json, const verso_run_report *report) {
    const verso__cost read = verso__cost_read(&report->predicted), *cost = &read;
    size_t tiers = verso__spec_tiers(&report->spec);
    if (report->spec.steps == VERSO_UNKNOWN && cost->steps == 0) {
        assert_true(json_is_null(json));
        return;
    }
    assert_int_equal(json_object_size(json), 15);
    check_word(json, "kind", verso_kind_word(report->spec.kind));
    check_count(json, "steps", cost->steps);
    check_count(json, "forward_steps", (uint64_t)cost->forward_steps);
    check_count(json, "recorded_steps", (uint64_t)cost->recorded_steps);
    check_count(json, "makespan", (uint64_t)cost->makespan);
    check_wides(json, "writes", cost->writes, tiers);
    check_wides(json, "reads", cost->reads, tiers);
    check_counts(json, "peak_slots", cost->peak_slots, tiers);
    check_count(json, "repetition", cost->repetition);
    for (size_t i = 0; i < tiers; i++)
        assert_string_equal(json_string_value(json_array_get(json_object_get(json, "tiers"), i)),
                            verso__spec_tier_name(&report->spec, i));
    check_count(json, "adjoint_stores", cost->adjoint_stores);
    check_count(json, "longest_recording", cost->longest_recording);
    check_count(json, "least_makespan", (uint64_t)cost->least_makespan);
    check_count(json, "free_distance", cost->free_distance);
    check_nullable(json, "period", cost->period, VERSO_UNKNOWN);
}

static void check_actual(const json_t *json, const verso_run_report *report) {
    size_t tiers = verso__spec_tiers(&report->spec);
    assert_int_equal(json_object_size(json), 10);
    check_count(json, "forward_steps", (uint64_t)report->forward_steps);
    check_count(json, "reversed_steps", (uint64_t)report->reversed_steps);
    check_counts(json, "writes", report->writes, tiers);
    check_counts(json, "reads", report->reads, tiers);
    check_count(json, "adjoint_stores", report->adjoint_stores);
    check_count(json, "restarts", report->restarts);
    check_count(json, "begun_anew", report->begun_anew);
    check_count(json, "recovered_steps", (uint64_t)report->recovered_steps);
    check_count(json, "recovered_capsules", report->recovered_capsules);
    check_count(json, "lost_steps", (uint64_t)report->lost_steps);
}

static void check_usage(const json_t *json, const verso_store_usage *usage) {
    assert_int_equal(json_object_size(json), 11);
    check_count(json, "memory", usage->memory);
    check_count(json, "memory_peak", usage->memory_peak);
    check_count(json, "bytes", usage->bytes);
    check_count(json, "bytes_peak", usage->bytes_peak);
    check_count(json, "writes", usage->writes);
    check_count(json, "reads", usage->reads);
    check_count(json, "bytes_written", usage->bytes_written);
    check_count(json, "bytes_read", usage->bytes_read);
    check_time(json_object_get(json, "seconds_written"), usage->seconds_written);
    check_time(json_object_get(json, "seconds_read"), usage->seconds_read);
    check_time(json_object_get(json, "seconds_waited"), usage->seconds_waited);
}

static void check_stores(const json_t *json, const verso_run_report *report) {
    json_t *tiers = json_object_get(json, "tiers");
    check_count(json, "capsule_size", report->capsule_size);
    check_count(json, "adjoint_size", report->adjoint_size);
    assert_int_equal(json_array_size(tiers), verso__spec_tiers(&report->spec));
    for (size_t i = 0; i < json_array_size(tiers); i++)
        check_usage(json_array_get(tiers, i), &report->tiers[i]);
    check_usage(json_object_get(json, "durable"), &report->durable);
}

static void check_seconds(const json_t *json, const verso_run_report *report) {
    assert_int_equal(json_object_size(json), 7);
    check_time(json_object_get(json, "total"), report->seconds);
    check_time(json_object_get(json, "forward"), report->seconds_forward);
    check_time(json_object_get(json, "reverse"), report->seconds_reverse);
    check_time(json_object_get(json, "process"), report->seconds_process);
    check_time(json_object_get(json, "waited"), report->seconds_waited);
    check_time(json_object_get(json, "copying"), report->seconds_copying);
    check_time(json_object_get(json, "predicted"), report->seconds_predicted == 0 ? NAN : report->seconds_predicted);
}

static void check_memory(const json_t *json, const verso_run_report *report) {
    json_t *seconds = json_object_get(json, "seconds"), *bytes = json_object_get(json, "bytes");
    check_nullable(json, "budget", report->memory_budget, 0);
    check_count(json, "peak", report->memory_peak);
    assert_int_equal(json_array_size(seconds), report->sample_count);
    assert_int_equal(json_array_size(bytes), report->sample_count);
    for (size_t i = 0; i < report->sample_count; i++) {
        check_time(json_array_get(seconds, i), report->samples[i].seconds);
        assert_int_equal(json_integer_value(json_array_get(bytes, i)), report->samples[i].bytes);
    }
}

static void check_json(const verso_run_report *report) {
    markup_page page = write(report, verso_report_json);
    json_error_t where;
    json_t *root = json_loads(page.text, JSON_REJECT_DUPLICATES, &where);
    if (root == NULL)
        fail_msg("line %d, column %d: %s", where.line, where.column, where.text);
    assert_int_equal(json_object_size(root), 10);
    assert_int_equal(json_is_true(json_object_get(root, "done")), report->done);
    assert_int_equal(json_is_true(json_object_get(root, "suspended")), report->suspended);
    check_word(root, "reason", report->reason);
    check_spec(json_object_get(root, "spec"), &report->spec);
    check_predicted(json_object_get(root, "predicted"), report);
    check_actual(json_object_get(root, "actual"), report);
    check_stores(json_object_get(root, "stores"), report);
    check_seconds(json_object_get(root, "seconds"), report);
    check_memory(json_object_get(root, "memory"), report);
    json_decref(root);
    free(page.text);
}

static void json_says_what_the_report_says(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++)
        for (int i = 0; i < REPORTS_A_KIND; i++) {
            any_report(&source, (verso_schedule_kind)kind, &report);
            check_json(&report);
        }
}

/* Beyond what the parser of the tests can hold: the digits themselves. */
static void wide_numbers_keep_all_their_digits(void **state) {
    (void)state;
    verso_run_report report = {.size = sizeof(verso_run_report),
                               .forward_steps = UINT64_MAX,
                               .predicted.makespan = {.high = UINT64_C(1) << 36}};
    report.writes[0] = UINT64_MAX;
    markup_page page = write(&report, verso_report_json);
    assert_non_null(strstr(page.text, "\"forward_steps\": 18446744073709551615,"));
    assert_non_null(strstr(page.text, "\"makespan\": 1267650600228229401496703205376,"));
    assert_non_null(strstr(page.text, "\"writes\": [18446744073709551615]"));
    free(page.text);
    page = write(&report, verso_report_html);
    markup_check(page.text);
    assert_non_null(strstr(page.text, "18,446,744,073,709,551,615"));
    free(page.text);
}

/* ---- The page ---- */

static void pages_are_well_formed_whatever_the_numbers(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++)
        for (int i = 0; i < REPORTS_A_KIND; i++) {
            any_report(&source, (verso_schedule_kind)kind, &report);
            strcpy(report.reason, "as it was"); /* whose random letters may spell what is looked for */
            markup_page page = write(&report, verso_report_html);
            markup_check(page.text);
            assert_int_equal(markup_count(page.text, "<table>"), 2);
            assert_int_equal(markup_count(page.text, "writes to "), verso__spec_tiers(&report.spec));
            assert_null(strstr(page.text, "src="));
            assert_null(strstr(page.text, "href="));
            assert_null(strstr(page.text, "<script"));
            assert_true(page.size < 100000);
            free(page.text);
        }
}

static void nothing_happened_is_a_report_too(void **state) {
    (void)state;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    check_json(&report);
    markup_page page = write(&report, verso_report_html);
    markup_check(page.text);
    assert_non_null(strstr(page.text, "The caller asked for it."));
    assert_non_null(strstr(page.text, "Memory was not sampled."));
    assert_non_null(strstr(page.text, "There were none"));
    free(page.text);
    report.samples[0].bytes = 5; /* a single sample, at the very start */
    report.sample_count = 1;
    page = write(&report, verso_report_html);
    markup_check(page.text);
    free(page.text);
}

static void more_samples_than_there_is_room_for_are_not_read(void **state) {
    (void)state;
    verso_run_report report = {.size = sizeof(verso_run_report), .sample_count = SIZE_MAX};
    markup_page page = write(&report, verso_report_json);
    json_t *root = json_loads(page.text, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(json_object_get(root, "memory"), "bytes")), VERSO_SAMPLES_MAX);
    json_decref(root);
    free(page.text);
    page = write(&report, verso_report_html);
    markup_check(page.text);
    free(page.text);
}

static void the_reason_is_escaped(void **state) {
    (void)state;
    verso_run_report report = {.size = sizeof(verso_run_report), .reason = "<script>alert(\"1\")</script> & more"};
    markup_page page = write(&report, verso_report_html);
    markup_check(page.text);
    assert_non_null(strstr(page.text, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more"));
    free(page.text);
}

/* A run of ten steps that was continued twice. */
static verso_run_report example(void) {
    verso_run_report report = {.size = sizeof(verso_run_report),
                               .forward_steps = 18,
                               .reversed_steps = 10,
                               .restarts = 2,
                               .recovered_steps = 3,
                               .recovered_capsules = 1,
                               .lost_steps = 4,
                               .memory_budget = 3000,
                               .memory_peak = 2500,
                               .seconds = 100,
                               .seconds_forward = 40,
                               .seconds_reverse = 30,
                               .suspended = true,
                               .seconds_process = 100,
                               .seconds_waited = 25,
                               .seconds_predicted = 80,
                               .sample_count = 3,
                               .samples = {{0, 0}, {50, 2500}, {100, 500}}};
    verso_schedule_spec_init(&report.spec, VERSO_KIND_REVOLVE);
    report.spec.steps = 10;
    report.spec.slots = 3;
    assert_int_equal(verso_schedule_simulate(&report.spec, &report.predicted, NULL), VERSO_STATUS_OK);
    report.tiers[0] = (verso_store_usage){.bytes_written = 50000000, .seconds_written = 2};
    return report;
}

static void the_page_says_what_matters(void **state) {
    (void)state;
    static const char *const words[] = {
        "<h1>Run of revolve: 10 steps, 3 slots <span class=\"state open\">suspended</span></h1>",
        "<th scope=\"row\">forward steps</th><td>15</td><td>18</td><td>1.200</td>",
        "<th scope=\"row\">reversed steps</th><td>10</td><td>10</td><td>1.000</td>",
        "<th scope=\"row\">time</th><td>1 min 20 s</td><td>1 min 40 s</td><td>1.250</td>",
        "The run was continued 2 times; 1 capsule was damaged and computed again.",
        "All this cost 3 forward steps, 16.67 % of all that were run. 4 steps were lost with processes that died.",
        "running forward <b>40 s, 40.0 %</b>",
        "waiting for files <b>25 s, 25.0 %</b>",
        "other <b>5 s, 5.0 %</b>",
        "<h2>States in memory over time</h2>",
        "class=\"most\">most memory 2.5 kB</text>",
        "class=\"budget\"",
        "budget 3 kB",
        "25 MB/s",
    };
    verso_run_report report = example();
    markup_page page = write(&report, verso_report_html);
    markup_check(page.text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(page.text, words[i]) == NULL)
            fail_msg("not on the page: %s", words[i]);
    free(page.text);
}

static void a_budget_out_of_reach_is_named_and_not_drawn(void **state) {
    (void)state;
    verso_run_report report = example();
    report.done = true;
    report.memory_budget = 1000000;
    markup_page page = write(&report, verso_report_html);
    assert_non_null(strstr(page.text, "budget 1 MB, far above"));
    assert_null(strstr(page.text, "class=\"budget\""));
    assert_non_null(strstr(page.text, "<span class=\"state\">done</span>"));
    free(page.text);
}

static void steps_that_were_never_learnt_are_not_predicted(void **state) {
    (void)state;
    verso_run_report report = {.size = sizeof(verso_run_report), .forward_steps = 7};
    verso_schedule_spec_init(&report.spec, VERSO_KIND_ONLINE);
    report.spec.steps = VERSO_UNKNOWN;
    report.spec.slots = 3;
    markup_page page = write(&report, verso_report_html);
    markup_check(page.text);
    assert_non_null(strstr(page.text, "Run of online: steps not known, 3 slots"));
    assert_non_null(strstr(page.text, "forward steps</th><td>\xE2\x80\x93</td><td>7</td><td>\xE2\x80\x93</td>"));
    free(page.text);
    report.predicted.steps = 1234; /* learnt */
    page = write(&report, verso_report_html);
    assert_non_null(strstr(page.text, "Run of online: 1,234 steps, 3 slots"));
    free(page.text);
}

/* ---- Tiers and failures ---- */

static void specs_name_the_tiers_of_their_schedules(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++)
        for (int i = 0; i < REPORTS_A_KIND; i++) {
            verso_schedule_spec spec = random_spec(&source, (verso_schedule_kind)kind, 100);
            verso__cost cost;
            verso_schedule *schedule;
            if (verso__schedule_simulate(&spec, &cost, NULL) != VERSO_STATUS_OK ||
                verso_schedule_new(&spec, &schedule, NULL) != VERSO_STATUS_OK)
                continue;
            size_t tiers = verso__spec_tiers(&spec);
            REQUIRE_OF(&spec, verso_schedule_tiers(schedule) == tiers);
            for (size_t tier = tiers; tier < VERSO_TIERS_MAX; tier++)
                REQUIRE_OF(&spec, cost.writes[tier] == 0);
            verso_schedule_free(schedule);
        }
}

static void a_failure_of_the_sink_is_passed_on(void **state) {
    (void)state;
    verso_run_report report = example();
    report.sample_count = VERSO_SAMPLES_MAX; /* long enough for more than one call */
    for (size_t i = 0; i < VERSO_SAMPLES_MAX; i++)
        report.samples[i] = (verso_memory_sample){(double)i / 3, i};
    unsigned failed = 0;
    for (unsigned call = 0; call < 4; call++) {
        verso_error error = {0};
        unsigned left = call;
        verso_status status = verso_report_html(&report, markup_refuse, &left, &error);
        assert_int_equal(status, left > call ? VERSO_STATUS_IO : VERSO_STATUS_OK);
        assert_int_equal(error.status, status);
        failed += status == VERSO_STATUS_IO;
        left = call;
        status = verso_report_json(&report, markup_refuse, &left, NULL);
        assert_int_equal(status, left > call ? VERSO_STATUS_IO : VERSO_STATUS_OK);
    }
    assert_true(failed >= 2 && failed < 4);
}

/* ---- Predicted times ---- */

static double waiting_state[1000], waiting_adjoint[1000];

static int wait_a_little(void *context, uint64_t step) {
    (void)context, (void)step;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return 0;
}

/* A thread writes files while steps are run. Only waiting for it counts as time of the run: the predicted time of an
 * undisturbed run is at most the sum of its measured parts, however slow the machine is. */
static void writes_beside_the_steps_are_not_predicted_as_time(void **state) {
    (void)state;
    verso_loop loop = {.size = sizeof(verso_loop),
                       .steps = 60,
                       .advance = wait_a_little,
                       .adjoint = wait_a_little,
                       .start = wait_a_little,
                       .state = {{waiting_state, sizeof waiting_state}},
                       .adjoint_state = {{waiting_adjoint, sizeof waiting_adjoint}}};
    static verso_run_report report = VERSO_RUN_REPORT_INIT;
    verso_program program;
    verso_run_options options;
    char *folder = folder_new();
    verso_run_options_init(&options);
    verso_schedule_spec_init(&options.spec, VERSO_KIND_RESILIENT);
    options.spec.slots = 6;
    options.spec.distance = 20;
    options.directory = folder;
    assert_int_equal(verso_loop_program(&loop, &program, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso_run(&program, &options, &report, NULL), VERSO_STATUS_OK);
    verso_loop_close(&loop);
    folder_remove(folder);
    assert_true(report.forward_steps == report.predicted.forward_steps.low);
    assert_true(report.tiers[0].writes > 20 && report.tiers[0].seconds_written > 0);
    double steps = report.seconds_forward + report.seconds_reverse;
    assert_true(report.seconds_predicted >= steps * (1 - 1e-9));
    assert_true(report.seconds_predicted <= (steps + report.seconds_copying + report.seconds_waited) * (1 + 1e-9));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_says_what_the_report_says),
        cmocka_unit_test(wide_numbers_keep_all_their_digits),
        cmocka_unit_test(pages_are_well_formed_whatever_the_numbers),
        cmocka_unit_test(nothing_happened_is_a_report_too),
        cmocka_unit_test(more_samples_than_there_is_room_for_are_not_read),
        cmocka_unit_test(the_reason_is_escaped),
        cmocka_unit_test(the_page_says_what_matters),
        cmocka_unit_test(a_budget_out_of_reach_is_named_and_not_drawn),
        cmocka_unit_test(steps_that_were_never_learnt_are_not_predicted),
        cmocka_unit_test(specs_name_the_tiers_of_their_schedules),
        cmocka_unit_test(a_failure_of_the_sink_is_passed_on),
        cmocka_unit_test(writes_beside_the_steps_are_not_predicted_as_time),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
