/* The run report as JSON: all fields of verso_run_report under the same names. `predicted` has the keys of `verso
 * plan --json`, so that one reader can read both. null: not known, not set, or unlimited. */
#include "drive/report.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/sized.h"
#include "base/status.h"
#include "schedule/cost.h"
#include "schedule/words.h"

static void write_spec(verso__json *json, const verso_schedule_spec *spec) {
    verso__json_open(json, "spec", '{');
    verso__json_string(json, "kind", verso_kind_word(spec->kind));
    verso__json_known(json, "steps", spec->steps);
    verso__json_wide(json, "slots", spec->slots);
    verso__json_wide(json, "forward_cost", spec->forward_cost);
    verso__json_wide(json, "backward_cost", spec->backward_cost);
    verso__json_wide(json, "write_cost", spec->write_cost);
    verso__json_wide(json, "read_cost", spec->read_cost);
    verso__json_bool(json, "with_disk", spec->with_disk);
    verso__json_open(json, "tiers", '[');
    for (size_t i = 0; i < spec->tier_count && i < VERSO_TIERS_MAX; i++) {
        verso__json_open(json, NULL, '{');
        verso__json_known(json, "capacity", spec->tiers[i].capacity);
        verso__json_wide(json, "write_cost", spec->tiers[i].write_cost);
        verso__json_wide(json, "read_cost", spec->tiers[i].read_cost);
        verso__json_close(json, '}');
    }
    verso__json_close(json, ']');
    verso__json_wide(json, "distance", spec->distance);
    verso__json_wide(json, "adjoint_distance", spec->adjoint_distance);
    verso__json_wide(json, "leaf", spec->leaf);
    verso__json_wide(json, "space", spec->space);
    verso__json_wide(json, "time", spec->time);
    verso__json_string(json, "split", verso_split_word(spec->split));
    verso__json_close(json, '}');
}

static void write_wides(verso__json *json, const char *name, const verso__wide *values, size_t count) {
    verso__json_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        verso__json_wide(json, NULL, values[i]);
    verso__json_close(json, ']');
}

static void write_counts(verso__json *json, const char *name, const uint64_t *values, size_t count) {
    verso__json_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        verso__json_wide(json, NULL, values[i]);
    verso__json_close(json, ']');
}

static void write_predicted(verso__json *json, const verso_schedule_spec *spec, const verso_cost *predicted) {
    const verso__cost read = verso__cost_read(predicted), *cost = &read;
    size_t tiers = verso__spec_tiers(spec);
    if (spec->steps == VERSO_UNKNOWN && cost->steps == 0) { /* the number of steps never became known */
        verso__json_null(json, "predicted");
        return;
    }
    verso__json_open(json, "predicted", '{');
    verso__json_string(json, "kind", verso_kind_word(spec->kind));
    verso__json_wide(json, "steps", cost->steps);
    verso__json_wide(json, "forward_steps", cost->forward_steps);
    verso__json_wide(json, "recorded_steps", cost->recorded_steps);
    verso__json_wide(json, "makespan", cost->makespan);
    write_wides(json, "writes", cost->writes, tiers);
    write_wides(json, "reads", cost->reads, tiers);
    write_counts(json, "peak_slots", cost->peak_slots, tiers);
    verso__json_wide(json, "repetition", cost->repetition);
    verso__json_open(json, "tiers", '[');
    for (size_t tier = 0; tier < tiers; tier++)
        verso__json_string(json, NULL, verso__spec_tier_name(spec, tier));
    verso__json_close(json, ']');
    verso__json_wide(json, "adjoint_stores", cost->adjoint_stores);
    verso__json_wide(json, "longest_recording", cost->longest_recording);
    verso__json_wide(json, "least_makespan", cost->least_makespan);
    verso__json_wide(json, "free_distance", cost->free_distance);
    verso__json_known(json, "period", cost->period);
    verso__json_close(json, '}');
}

static void write_actual(verso__json *json, const verso_run_report *report) {
    size_t tiers = verso__spec_tiers(&report->spec);
    verso__json_open(json, "actual", '{');
    verso__json_wide(json, "forward_steps", report->forward_steps);
    verso__json_wide(json, "reversed_steps", report->reversed_steps);
    write_counts(json, "writes", report->writes, tiers);
    write_counts(json, "reads", report->reads, tiers);
    verso__json_wide(json, "adjoint_stores", report->adjoint_stores);
    verso__json_wide(json, "restarts", report->restarts);
    verso__json_wide(json, "begun_anew", report->begun_anew);
    verso__json_wide(json, "recovered_steps", report->recovered_steps);
    verso__json_wide(json, "recovered_capsules", report->recovered_capsules);
    verso__json_wide(json, "lost_steps", report->lost_steps);
    verso__json_close(json, '}');
}

static void write_usage(verso__json *json, const char *name, const verso_store_usage *usage) {
    verso__json_open(json, name, '{');
    verso__json_wide(json, "memory", usage->memory);
    verso__json_wide(json, "memory_peak", usage->memory_peak);
    verso__json_wide(json, "bytes", usage->bytes);
    verso__json_wide(json, "bytes_peak", usage->bytes_peak);
    verso__json_wide(json, "writes", usage->writes);
    verso__json_wide(json, "reads", usage->reads);
    verso__json_wide(json, "bytes_written", usage->bytes_written);
    verso__json_wide(json, "bytes_read", usage->bytes_read);
    verso__json_double(json, "seconds_written", usage->seconds_written);
    verso__json_double(json, "seconds_read", usage->seconds_read);
    verso__json_double(json, "seconds_waited", usage->seconds_waited);
    verso__json_close(json, '}');
}

static void write_stores(verso__json *json, const verso_run_report *report) {
    verso__json_open(json, "stores", '{');
    verso__json_wide(json, "capsule_size", report->capsule_size);
    verso__json_wide(json, "adjoint_size", report->adjoint_size);
    verso__json_open(json, "tiers", '[');
    for (size_t tier = 0; tier < verso__spec_tiers(&report->spec); tier++)
        write_usage(json, NULL, &report->tiers[tier]);
    verso__json_close(json, ']');
    write_usage(json, "durable", &report->durable);
    verso__json_close(json, '}');
}

static void write_seconds(verso__json *json, const verso_run_report *report) {
    verso__json_open(json, "seconds", '{');
    verso__json_double(json, "total", report->seconds);
    verso__json_double(json, "process", report->seconds_process);
    verso__json_double(json, "forward", report->seconds_forward);
    verso__json_double(json, "reverse", report->seconds_reverse);
    verso__json_double(json, "copying", report->seconds_copying);
    verso__json_double(json, "waited", report->seconds_waited);
    if (report->seconds_predicted == 0)
        verso__json_null(json, "predicted");
    else
        verso__json_double(json, "predicted", report->seconds_predicted);
    verso__json_close(json, '}');
}

static void write_memory(verso__json *json, const verso_run_report *report) {
    size_t count = verso__report_sample_count(report);
    verso__json_open(json, "memory", '{');
    if (report->memory_budget == 0)
        verso__json_null(json, "budget");
    else
        verso__json_wide(json, "budget", report->memory_budget);
    verso__json_wide(json, "peak", report->memory_peak);
    verso__json_open(json, "seconds", '[');
    for (size_t i = 0; i < count; i++)
        verso__json_double(json, NULL, report->samples[i].seconds);
    verso__json_close(json, ']');
    verso__json_open(json, "bytes", '[');
    for (size_t i = 0; i < count; i++)
        verso__json_wide(json, NULL, report->samples[i].bytes);
    verso__json_close(json, ']');
    verso__json_close(json, '}');
}

verso_status verso__report_read(const verso_run_report *given, verso_run_report **own, verso_error *error) {
    *own = verso__alloc(1, sizeof **own);
    if (*own == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to write the report of the run");
    verso_status status = verso__sized_read(given, *own, sizeof **own, "VERSO_RUN_REPORT_INIT", error);
    if (status == VERSO_STATUS_OK)
        return VERSO_STATUS_OK;
    verso__dealloc(*own);
    *own = NULL;
    return status;
}

verso_status verso__report_end(verso__text *text, verso_error *error) {
    verso_status status = verso__text_close(text);
    if (status == VERSO_STATUS_OK)
        return VERSO_STATUS_OK;
    return verso__fail(error, status, "the report could not be written: %s", verso_status_text(status));
}

static verso_status write_json(const verso_run_report *report, verso_sink sink, void *context, verso_error *error) {
    verso__text text = {.sink = sink, .context = context};
    verso__json json = {.text = &text};
    verso__json_open(&json, NULL, '{');
    verso__json_bool(&json, "done", report->done);
    verso__json_bool(&json, "suspended", report->suspended);
    verso__json_wide(&json, "signal", (verso__wide)report->signal);
    verso__json_string(&json, "reason", report->reason);
    write_spec(&json, &report->spec);
    write_predicted(&json, &report->spec, &report->predicted);
    write_actual(&json, report);
    write_stores(&json, report);
    write_seconds(&json, report);
    write_memory(&json, report);
    verso__json_close(&json, '}');
    verso__text_string(&text, "\n");
    return verso__report_end(&text, error);
}

verso_status verso_report_json(const verso_run_report *report, verso_sink sink, void *context, verso_error *error) {
    verso_run_report *own;
    verso_status status = verso__report_read(report, &own, error);
    if (status == VERSO_STATUS_OK)
        status = write_json(own, sink, context, error);
    verso__dealloc(own);
    return status;
}
