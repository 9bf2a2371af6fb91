/* The run report as an HTML page: what was run, why with this schedule, and how the actual run compares with the
 * prediction, side by side, so that a disk slower than assumed or a machine that failed is easy to see. The page
 * needs no scripts and no other file. */
#include "drive/report.h"

#include "base/alloc.h"
#include "base/page.h"
#include "base/wide.h"
#include "schedule/words.h"

#include <stdio.h>
#include <string.h>

static const char style[] =
    ".state{display:inline-block;border-radius:1rem;padding:.05rem .7rem;font-size:.95rem;vertical-align:.2rem;"
    "background:#2f9a58;color:#fff}.state.open{background:#e8871a}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.8rem;margin:1.2rem 0 "
    "0;padding:0}\n"
    ".facts div{border:1px solid var(--rule);border-radius:.5rem;padding:.5rem .8rem}\n"
    ".facts dt{color:var(--soft);font-size:.85rem}.facts dd{margin:0;font-size:1.25rem}\n"
    ".scroll{overflow-x:auto}p{max-width:48rem}.soft{color:var(--soft)}td{white-space:nowrap}\n"
    ".wide{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));gap:0 3rem}\n"
    ".wide>*{min-width:0}\n"
    "@media (max-width:40rem){main{padding:1rem}th,td{padding-right:.7rem}table{font-size:.9rem}}\n";

#define DASH "\xE2\x80\x93"

/* Returns the number of steps; VERSO_UNKNOWN if it never became known. */
static uint64_t steps_of(const verso_run_report *report) {
    bool learnt = report->spec.steps == VERSO_UNKNOWN && report->predicted.steps > 0;
    return learnt ? report->predicted.steps : report->spec.steps;
}

static bool has_prediction(const verso_run_report *report) {
    return report->predicted.steps > 0 || report->spec.steps == 0;
}

static verso__number share_text(double part, double whole, int decimals) {
    return whole > 0 ? verso__decimal(part / whole, decimals) : (verso__number){DASH};
}

/* ---- What was run ---- */

static void write_fact(verso__text *text, const char *what, const char *value) {
    verso__text_print(text, "<div><dt>%s</dt><dd>%s</dd></div>\n", what, value);
}

static void write_facts(const verso_run_report *report, verso__text *text) {
    uint64_t steps = steps_of(report);
    verso__text_string(text, "<dl class=\"facts\">\n");
    write_fact(text, "time", verso__duration(report->seconds).text);
    write_fact(text, "passes forward",
               steps == VERSO_UNKNOWN ? DASH : share_text((double)report->forward_steps, (double)steps, 2).text);
    write_fact(text, "most memory", verso__bytes((double)report->memory_peak).text);
    write_fact(text, "a state", verso__bytes((double)report->capsule_size).text);
    write_fact(text, "restarts", verso__grouped(report->restarts).text);
    verso__text_string(text, "</dl>\n");
}

static void write_headline(const verso_run_report *report, verso__text *text) {
    verso__text_string(text, "<h1>Run of ");
    verso__spec_title(&report->spec, steps_of(report), text);
    verso__text_print(text, " <span class=\"state%s\">%s</span></h1>\n<p class=\"lead\">", report->done ? "" : " open",
                      report->done        ? "done"
                      : report->suspended ? "suspended"
                                          : "interrupted");
    verso__text_escaped(text, verso_kind_meaning(report->spec.kind));
    verso__text_print(text, "%s</p>\n",
                      report->done ? "" : ". The gradient is not complete; run the program again to continue.");
    write_facts(report, text);
}

static void write_reason(const verso_run_report *report, verso__text *text) {
    verso__text_string(text, "<h2>Why this schedule</h2>\n<p>");
    if (report->reason[0] == '\0')
        verso__text_string(text, "The caller asked for it.");
    else
        verso__text_escaped(text, report->reason);
    verso__text_string(text, "</p>\n");
}

/* ---- Predicted and actual ---- */

static void write_row(verso__text *text, const char *what, const char *predicted, const char *actual,
                      const char *ratio) {
    verso__text_print(text, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td></tr>\n", what, predicted,
                      actual, ratio);
}

static void write_count(const verso_run_report *report, verso__text *text, const char *what, verso__wide predicted,
                        verso__wide actual) {
    bool known = has_prediction(report);
    write_row(text, what, known ? verso__grouped(predicted).text : DASH, verso__grouped(actual).text,
              known ? share_text((double)actual, (double)predicted, 3).text : DASH);
}

static void write_tier_counts(const verso_run_report *report, verso__text *text) {
    for (size_t tier = 0; tier < verso__spec_tiers(&report->spec); tier++) {
        verso__number name = verso__spec_tier_title(&report->spec, tier);
        char what[2 * sizeof name.text];
        snprintf(what, sizeof what, "writes to %s", name.text);
        write_count(report, text, what, verso__wide_read(report->predicted.writes[tier]), report->writes[tier]);
        snprintf(what, sizeof what, "reads from %s", name.text);
        write_count(report, text, what, verso__wide_read(report->predicted.reads[tier]), report->reads[tier]);
    }
}

static void write_comparison(const verso_run_report *report, verso__text *text) {
    double predicted = verso__report_time(report->seconds_predicted);
    verso__text_print(
        text,
        "<h2>Predicted and actual</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\"></th>"
        "<th scope=\"col\">predicted</th><th scope=\"col\">%s</th><th scope=\"col\">ratio</th></tr>"
        "</thead>\n<tbody>\n",
        report->done ? "actual" : "so far");
    write_count(report, text, "forward steps", verso__wide_read(report->predicted.forward_steps),
                report->forward_steps);
    write_count(report, text, "reversed steps", verso__wide_read(report->predicted.recorded_steps),
                report->reversed_steps);
    write_tier_counts(report, text);
    write_count(report, text, "adjoints stored", report->predicted.adjoint_stores, report->adjoint_stores);
    write_row(text, "time", predicted > 0 ? verso__duration(predicted).text : DASH,
              verso__duration(report->seconds).text,
              share_text(verso__report_time(report->seconds), predicted, 3).text);
    verso__text_string(text,
                       "</tbody>\n</table>\n</div>\n<p class=\"soft\">Steps, writes and reads are exact "
                       "predictions: additional ones were repeated by recoveries, or lost with processes that died. "
                       "Adjoints are also stored "
                       "whenever that is cheap. The time is predicted from the speed measured in the run.</p>\n");
}

/* ---- Recoveries ---- */

static void write_recoveries(const verso_run_report *report, verso__text *text) {
    verso__text_string(text, "<h2>Recoveries</h2>\n<p>");
    if (report->begun_anew > 0)
        verso__text_print(text, "The run began anew %s time%s. ", verso__grouped(report->begun_anew).text,
                          report->begun_anew == 1 ? "" : "s");
    else if (report->restarts == 0 && report->recovered_steps == 0 && report->recovered_capsules == 0) {
        verso__text_string(text, "There were none: nothing was interrupted and nothing was damaged.</p>\n");
        return;
    }
    verso__text_print(text, "The run was continued %s time%s; %s capsule%s damaged and computed again. ",
                      verso__grouped(report->restarts).text, report->restarts == 1 ? "" : "s",
                      verso__grouped(report->recovered_capsules).text,
                      report->recovered_capsules == 1 ? " was" : "s were");
    verso__text_print(text, "All this cost %s forward step%s", verso__grouped(report->recovered_steps).text,
                      report->recovered_steps == 1 ? "" : "s");
    if (report->forward_steps > 0)
        verso__text_print(text, ", %s %% of all that were run",
                          share_text(100 * (double)report->recovered_steps, (double)report->forward_steps, 2).text);
    verso__text_string(text, ".");
    if (report->lost_steps > 0)
        verso__text_print(text, " %s step%s lost with processes that died.", verso__grouped(report->lost_steps).text,
                          report->lost_steps == 1 ? " was" : "s were");
    verso__text_string(text, "</p>\n");
}

/* ---- Bytes ---- */

static verso__number bytes_written(const verso_store_usage *usage) {
    return verso__bytes((double)usage->bytes_written);
}

static verso__number bytes_read(const verso_store_usage *usage) {
    return verso__bytes((double)usage->bytes_read);
}

static verso__number speed(uint64_t bytes, double seconds) {
    if (bytes == 0 || verso__report_time(seconds) == 0)
        return (verso__number){DASH};
    verso__number number = verso__bytes((double)bytes / seconds);
    strcat(number.text, "/s");
    return number;
}

static verso__number write_speed(const verso_store_usage *usage) {
    return speed(usage->bytes_written, usage->seconds_written);
}

static verso__number read_speed(const verso_store_usage *usage) {
    return speed(usage->bytes_read, usage->seconds_read);
}

static verso__number most_held(const verso_store_usage *usage) {
    return verso__bytes((double)usage->bytes_peak);
}

static verso__number waited(const verso_store_usage *usage) {
    return verso__duration(usage->seconds_waited);
}

/* Stores are columns: there are seldom more than three, so the table fits a narrow screen. */
static void write_bytes(const verso_run_report *report, verso__text *text) {
    static const struct {
        const char *name;
        verso__number (*of)(const verso_store_usage *usage);
    } rows[] = {{"written to files", bytes_written},
                {"at", write_speed},
                {"read from files", bytes_read},
                {"at", read_speed},
                {"most held", most_held},
                {"waited for", waited}};
    size_t tiers = verso__spec_tiers(&report->spec);
    verso__text_print(text, "<h2>Bytes%s</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\"></th>",
                      report->restarts > 0 ? ", in this process" : "");
    for (size_t tier = 0; tier < tiers; tier++)
        verso__text_print(text, "<th scope=\"col\">%s</th>", verso__spec_tier_title(&report->spec, tier).text);
    verso__text_string(text, "<th scope=\"col\">for restarts</th></tr></thead>\n<tbody>\n");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        verso__text_print(text, "<tr><th scope=\"row\">%s</th>", rows[row].name);
        for (size_t tier = 0; tier < tiers; tier++)
            verso__text_print(text, "<td>%s</td>", rows[row].of(&report->tiers[tier]).text);
        verso__text_print(text, "<td>%s</td></tr>\n", rows[row].of(&report->durable).text);
    }
    verso__text_string(text, "</tbody>\n</table>\n</div>\n");
}

/* ---- The page ---- */

static void write_main(const verso_run_report *report, verso__text *text) {
    write_headline(report, text);
    verso__text_string(text, "<div class=\"wide\">\n<section>\n");
    write_reason(report, text);
    write_comparison(report, text);
    write_recoveries(report, text);
    verso__text_string(text, "</section>\n<section>\n<h2>Where the time went</h2>\n");
    verso__report_times(report, text);
    verso__text_string(text, "<h2>States in memory over time</h2>\n");
    verso__report_memory(report, text);
    write_bytes(report, text);
    verso__text_string(text, "</section>\n</div>\n");
}

static verso_status write_html(const verso_run_report *report, verso_sink sink, void *context, verso_error *error) {
    verso__text text = {.sink = sink, .context = context};
    verso__page_begin(&text);
    verso__text_string(&text, style);
    verso__text_string(&text, verso__report_chart_style);
    verso__page_title(&text);
    verso__text_string(&text, "run: ");
    verso__spec_title(&report->spec, steps_of(report), &text);
    verso__page_main(&text);
    write_main(report, &text);
    verso__page_end(&text);
    return verso__report_end(&text, error);
}

verso_status verso_report_html(const verso_run_report *report, verso_sink sink, void *context, verso_error *error) {
    verso_run_report *own;
    verso_status status = verso__report_read(report, &own, error);
    if (status == VERSO_STATUS_OK)
        status = write_html(own, sink, context, error);
    verso__dealloc(own);
    return status;
}
