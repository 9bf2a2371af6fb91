/* A run report for programs: everything that is in verso_run_report, under its names there. What was predicted has the
 * keys of `verso plan --json`, so that one reader does for both. null: not known, not set or without limit. */
#include "drive/report.h"

#include "base/json.h"
#include "base/status.h"
#include "schedule/words.h"

static void write_spec(verso_json *json, const verso_schedule_spec *spec) {
    verso_json_open(json, "spec", '{');
    verso_json_string(json, "kind", verso_kind_word(spec->kind));
    verso_json_known(json, "steps", spec->steps);
    verso_json_wide(json, "slots", spec->slots);
    verso_json_wide(json, "forward_cost", spec->forward_cost);
    verso_json_wide(json, "backward_cost", spec->backward_cost);
    verso_json_wide(json, "write_cost", spec->write_cost);
    verso_json_wide(json, "read_cost", spec->read_cost);
    verso_json_bool(json, "with_disk", spec->with_disk);
    verso_json_open(json, "tiers", '[');
    for (size_t i = 0; i < spec->tier_count && i < VERSO_TIERS_MAX; i++) {
        verso_json_open(json, NULL, '{');
        verso_json_known(json, "capacity", spec->tiers[i].capacity);
        verso_json_wide(json, "write_cost", spec->tiers[i].write_cost);
        verso_json_wide(json, "read_cost", spec->tiers[i].read_cost);
        verso_json_close(json, '}');
    }
    verso_json_close(json, ']');
    verso_json_wide(json, "distance", spec->distance);
    verso_json_wide(json, "adjoint_distance", spec->adjoint_distance);
    verso_json_wide(json, "leaf", spec->leaf);
    verso_json_wide(json, "space", spec->space);
    verso_json_wide(json, "time", spec->time);
    verso_json_string(json, "split", spec->split == VERSO_SPLIT_BISECTION ? "bisection" : "binomial");
    verso_json_close(json, '}');
}

static void write_wides(verso_json *json, const char *name, const verso_wide *values, size_t count) {
    verso_json_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        verso_json_wide(json, NULL, values[i]);
    verso_json_close(json, ']');
}

static void write_counts(verso_json *json, const char *name, const uint64_t *values, size_t count) {
    verso_json_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        verso_json_wide(json, NULL, values[i]);
    verso_json_close(json, ']');
}

static void write_predicted(verso_json *json, const verso_schedule_spec *spec, const verso_cost *cost) {
    size_t tiers = verso_spec_tiers(spec);
    if (spec->steps == VERSO_UNKNOWN && cost->steps == 0) { /* it never was */
        verso_json_null(json, "predicted");
        return;
    }
    verso_json_open(json, "predicted", '{');
    verso_json_string(json, "kind", verso_kind_word(spec->kind));
    verso_json_wide(json, "steps", cost->steps);
    verso_json_wide(json, "forward_steps", cost->forward_steps);
    verso_json_wide(json, "recorded_steps", cost->recorded_steps);
    verso_json_wide(json, "makespan", cost->makespan);
    write_wides(json, "writes", cost->writes, tiers);
    write_wides(json, "reads", cost->reads, tiers);
    write_counts(json, "peak_slots", cost->peak_slots, tiers);
    verso_json_wide(json, "repetition", cost->repetition);
    verso_json_open(json, "tiers", '[');
    for (size_t tier = 0; tier < tiers; tier++)
        verso_json_string(json, NULL, verso_spec_tier_name(spec, tier));
    verso_json_close(json, ']');
    verso_json_wide(json, "adjoint_stores", cost->adjoint_stores);
    verso_json_wide(json, "longest_recording", cost->longest_recording);
    verso_json_wide(json, "least_makespan", cost->least_makespan);
    verso_json_wide(json, "free_distance", cost->free_distance);
    verso_json_known(json, "period", cost->period);
    verso_json_close(json, '}');
}

static void write_actual(verso_json *json, const verso_run_report *report) {
    size_t tiers = verso_spec_tiers(&report->spec);
    verso_json_open(json, "actual", '{');
    verso_json_wide(json, "forward_steps", report->forward_steps);
    verso_json_wide(json, "reversed_steps", report->reversed_steps);
    write_counts(json, "writes", report->writes, tiers);
    write_counts(json, "reads", report->reads, tiers);
    verso_json_wide(json, "adjoint_stores", report->adjoint_stores);
    verso_json_wide(json, "restarts", report->restarts);
    verso_json_wide(json, "recovered_steps", report->recovered_steps);
    verso_json_wide(json, "recovered_capsules", report->recovered_capsules);
    verso_json_close(json, '}');
}

static void write_usage(verso_json *json, const char *name, const verso_store_usage *usage) {
    verso_json_open(json, name, '{');
    verso_json_wide(json, "memory", usage->memory);
    verso_json_wide(json, "memory_peak", usage->memory_peak);
    verso_json_wide(json, "bytes", usage->bytes);
    verso_json_wide(json, "bytes_peak", usage->bytes_peak);
    verso_json_wide(json, "writes", usage->writes);
    verso_json_wide(json, "reads", usage->reads);
    verso_json_wide(json, "bytes_written", usage->bytes_written);
    verso_json_wide(json, "bytes_read", usage->bytes_read);
    verso_json_double(json, "seconds_written", usage->seconds_written);
    verso_json_double(json, "seconds_read", usage->seconds_read);
    verso_json_double(json, "seconds_waited", usage->seconds_waited);
    verso_json_close(json, '}');
}

static void write_stores(verso_json *json, const verso_run_report *report) {
    verso_json_open(json, "stores", '{');
    verso_json_wide(json, "capsule_size", report->capsule_size);
    verso_json_wide(json, "adjoint_size", report->adjoint_size);
    verso_json_open(json, "tiers", '[');
    for (size_t tier = 0; tier < verso_spec_tiers(&report->spec); tier++)
        write_usage(json, NULL, &report->tiers[tier]);
    verso_json_close(json, ']');
    write_usage(json, "durable", &report->durable);
    verso_json_close(json, '}');
}

static void write_seconds(verso_json *json, const verso_run_report *report) {
    verso_json_open(json, "seconds", '{');
    verso_json_double(json, "total", report->seconds);
    verso_json_double(json, "process", report->seconds_process);
    verso_json_double(json, "forward", report->seconds_forward);
    verso_json_double(json, "reverse", report->seconds_reverse);
    verso_json_double(json, "copying", report->seconds_copying);
    verso_json_double(json, "waited", report->seconds_waited);
    if (report->seconds_predicted == 0)
        verso_json_null(json, "predicted");
    else
        verso_json_double(json, "predicted", report->seconds_predicted);
    verso_json_close(json, '}');
}

static void write_memory(verso_json *json, const verso_run_report *report) {
    size_t count = verso_report_sample_count(report);
    verso_json_open(json, "memory", '{');
    if (report->memory_budget == 0)
        verso_json_null(json, "budget");
    else
        verso_json_wide(json, "budget", report->memory_budget);
    verso_json_wide(json, "peak", report->memory_peak);
    verso_json_open(json, "seconds", '[');
    for (size_t i = 0; i < count; i++)
        verso_json_double(json, NULL, report->samples[i].seconds);
    verso_json_close(json, ']');
    verso_json_open(json, "bytes", '[');
    for (size_t i = 0; i < count; i++)
        verso_json_wide(json, NULL, report->samples[i].bytes);
    verso_json_close(json, ']');
    verso_json_close(json, '}');
}

verso_status verso_report_end(verso_text *text, verso_error *error) {
    verso_status status = verso_text_close(text);
    if (status == VERSO_OK)
        return VERSO_OK;
    return verso_fail(error, status, "the report could not be written: %s", verso_status_text(status));
}

verso_status verso_report_json(const verso_run_report *report, verso_sink sink, void *context, verso_error *error) {
    verso_text text = {.sink = sink, .context = context};
    verso_json json = {.text = &text};
    verso_json_open(&json, NULL, '{');
    verso_json_bool(&json, "done", report->done);
    verso_json_bool(&json, "suspended", report->suspended);
    verso_json_wide(&json, "signal", (verso_wide)report->signal);
    verso_json_string(&json, "reason", report->reason);
    write_spec(&json, &report->spec);
    write_predicted(&json, &report->spec, &report->predicted);
    write_actual(&json, report);
    write_stores(&json, report);
    write_seconds(&json, report);
    write_memory(&json, report);
    verso_json_close(&json, '}');
    verso_text_string(&text, "\n");
    return verso_report_end(&text, error);
}
