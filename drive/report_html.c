/* A run report for people: one page that says what was run, why in this way, and how what happened compares with what
 * was predicted. What is compared stands side by side, so that a disk slower than assumed or a machine that failed
 * shows at once. It needs no script and no other file. */
#include "drive/report.h"

#include "base/page.h"
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

/* The steps that were reversed, once that is known. */
static uint64_t steps_of(const verso_run_report *report) {
    bool learnt = report->spec.steps == VERSO_UNKNOWN && report->predicted.steps > 0;
    return learnt ? report->predicted.steps : report->spec.steps;
}

static bool has_prediction(const verso_run_report *report) {
    return report->predicted.steps > 0 || report->spec.steps == 0;
}

static verso_number share_text(double part, double whole, int decimals) {
    return whole > 0 ? verso_decimal(part / whole, decimals) : (verso_number){DASH};
}

/* ---- What was run ---- */

static void write_fact(verso_text *text, const char *what, const char *value) {
    verso_text_print(text, "<div><dt>%s</dt><dd>%s</dd></div>\n", what, value);
}

static void write_facts(const verso_run_report *report, verso_text *text) {
    uint64_t steps = steps_of(report);
    verso_text_string(text, "<dl class=\"facts\">\n");
    write_fact(text, "time", verso_duration(report->seconds).text);
    write_fact(text, "passes forward",
               steps == VERSO_UNKNOWN ? DASH : share_text((double)report->forward_steps, (double)steps, 2).text);
    write_fact(text, "most memory", verso_bytes((double)report->memory_peak).text);
    write_fact(text, "a state", verso_bytes((double)report->capsule_size).text);
    write_fact(text, "restarts", verso_grouped(report->restarts).text);
    verso_text_string(text, "</dl>\n");
}

static void write_headline(const verso_run_report *report, verso_text *text) {
    verso_text_string(text, "<h1>Run of ");
    verso_spec_title(&report->spec, steps_of(report), text);
    verso_text_print(text, " <span class=\"state%s\">%s</span></h1>\n<p class=\"lead\">", report->done ? "" : " open",
                     report->done        ? "done"
                     : report->suspended ? "suspended"
                                         : "interrupted");
    verso_text_escaped(text, verso_kind_meaning(report->spec.kind));
    verso_text_print(text, "%s</p>\n", report->done ? "" : ". The gradient is not complete; run it again to go on.");
    write_facts(report, text);
}

static void write_reason(const verso_run_report *report, verso_text *text) {
    verso_text_string(text, "<h2>Why this schedule</h2>\n<p>");
    if (report->reason[0] == '\0')
        verso_text_string(text, "It was asked for.");
    else
        verso_text_escaped(text, report->reason);
    verso_text_string(text, "</p>\n");
}

/* ---- Predicted and actual ---- */

static void write_row(verso_text *text, const char *what, const char *predicted, const char *actual,
                      const char *ratio) {
    verso_text_print(text, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td></tr>\n", what, predicted,
                     actual, ratio);
}

static void write_count(const verso_run_report *report, verso_text *text, const char *what, verso_wide predicted,
                        verso_wide actual) {
    bool known = has_prediction(report);
    write_row(text, what, known ? verso_grouped(predicted).text : DASH, verso_grouped(actual).text,
              known ? share_text((double)actual, (double)predicted, 3).text : DASH);
}

static void write_tier_counts(const verso_run_report *report, verso_text *text) {
    for (size_t tier = 0; tier < verso_spec_tiers(&report->spec); tier++) {
        verso_number name = verso_spec_tier_title(&report->spec, tier);
        char what[2 * sizeof name.text];
        snprintf(what, sizeof what, "writes to %s", name.text);
        write_count(report, text, what, report->predicted.writes[tier], report->writes[tier]);
        snprintf(what, sizeof what, "reads from %s", name.text);
        write_count(report, text, what, report->predicted.reads[tier], report->reads[tier]);
    }
}

static void write_comparison(const verso_run_report *report, verso_text *text) {
    double predicted = verso_report_time(report->seconds_predicted);
    verso_text_print(
        text,
        "<h2>Predicted and actual</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\"></th>"
        "<th scope=\"col\">predicted</th><th scope=\"col\">%s</th><th scope=\"col\">ratio</th></tr>"
        "</thead>\n<tbody>\n",
        report->done ? "actual" : "so far");
    write_count(report, text, "forward steps", report->predicted.forward_steps, report->forward_steps);
    write_count(report, text, "reversed steps", report->predicted.recorded_steps, report->reversed_steps);
    write_tier_counts(report, text);
    write_count(report, text, "adjoints stored", report->predicted.adjoint_stores, report->adjoint_stores);
    write_row(text, "time", predicted > 0 ? verso_duration(predicted).text : DASH, verso_duration(report->seconds).text,
              share_text(verso_report_time(report->seconds), predicted, 3).text);
    verso_text_string(text,
                      "</tbody>\n</table>\n</div>\n<p class=\"soft\">Steps, writes and reads are exact "
                      "predictions: what is more was repeated by recoveries. Adjoints are also stored whenever that "
                      "is cheap. The time is predicted from the speed measured in the run.</p>\n");
}

/* ---- Recoveries ---- */

static void write_recoveries(const verso_run_report *report, verso_text *text) {
    verso_text_string(text, "<h2>Recoveries</h2>\n<p>");
    if (report->restarts == 0 && report->recovered_steps == 0 && report->recovered_capsules == 0) {
        verso_text_string(text, "There were none: nothing was interrupted and nothing was damaged.</p>\n");
        return;
    }
    verso_text_print(text, "The run was continued %s time%s; %s capsule%s damaged and computed again. ",
                     verso_grouped(report->restarts).text, report->restarts == 1 ? "" : "s",
                     verso_grouped(report->recovered_capsules).text,
                     report->recovered_capsules == 1 ? " was" : "s were");
    verso_text_print(text, "All this cost %s forward step%s", verso_grouped(report->recovered_steps).text,
                     report->recovered_steps == 1 ? "" : "s");
    if (report->forward_steps > 0)
        verso_text_print(text, ", %s %% of all that were run",
                         share_text(100 * (double)report->recovered_steps, (double)report->forward_steps, 2).text);
    verso_text_string(text, ".</p>\n");
}

/* ---- Bytes ---- */

static verso_number bytes_written(const verso_store_usage *usage) {
    return verso_bytes((double)usage->bytes_written);
}

static verso_number bytes_read(const verso_store_usage *usage) {
    return verso_bytes((double)usage->bytes_read);
}

static verso_number speed(uint64_t bytes, double seconds) {
    if (bytes == 0 || verso_report_time(seconds) == 0)
        return (verso_number){DASH};
    verso_number number = verso_bytes((double)bytes / seconds);
    strcat(number.text, "/s");
    return number;
}

static verso_number write_speed(const verso_store_usage *usage) {
    return speed(usage->bytes_written, usage->seconds_written);
}

static verso_number read_speed(const verso_store_usage *usage) {
    return speed(usage->bytes_read, usage->seconds_read);
}

static verso_number most_held(const verso_store_usage *usage) {
    return verso_bytes((double)usage->bytes_peak);
}

static verso_number waited(const verso_store_usage *usage) {
    return verso_duration(usage->seconds_waited);
}

/* Stores stand side by side: there are seldom more than three, and so the table fits a narrow screen. */
static void write_bytes(const verso_run_report *report, verso_text *text) {
    static const struct {
        const char *name;
        verso_number (*of)(const verso_store_usage *usage);
    } rows[] = {{"written to files", bytes_written},
                {"at", write_speed},
                {"read from files", bytes_read},
                {"at", read_speed},
                {"most held", most_held},
                {"waited for", waited}};
    size_t tiers = verso_spec_tiers(&report->spec);
    verso_text_print(text, "<h2>Bytes%s</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\"></th>",
                     report->restarts > 0 ? ", in this process" : "");
    for (size_t tier = 0; tier < tiers; tier++)
        verso_text_print(text, "<th scope=\"col\">%s</th>", verso_spec_tier_title(&report->spec, tier).text);
    verso_text_string(text, "<th scope=\"col\">for restarts</th></tr></thead>\n<tbody>\n");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        verso_text_print(text, "<tr><th scope=\"row\">%s</th>", rows[row].name);
        for (size_t tier = 0; tier < tiers; tier++)
            verso_text_print(text, "<td>%s</td>", rows[row].of(&report->tiers[tier]).text);
        verso_text_print(text, "<td>%s</td></tr>\n", rows[row].of(&report->durable).text);
    }
    verso_text_string(text, "</tbody>\n</table>\n</div>\n");
}

/* ---- The page ---- */

static void write_main(const verso_run_report *report, verso_text *text) {
    write_headline(report, text);
    verso_text_string(text, "<div class=\"wide\">\n<section>\n");
    write_reason(report, text);
    write_comparison(report, text);
    write_recoveries(report, text);
    verso_text_string(text, "</section>\n<section>\n<h2>Where the time went</h2>\n");
    verso_report_times(report, text);
    verso_text_string(text, "<h2>Memory over time</h2>\n");
    verso_report_memory(report, text);
    write_bytes(report, text);
    verso_text_string(text, "</section>\n</div>\n");
}

verso_status verso_report_html(const verso_run_report *report, verso_sink sink, void *context, verso_error *error) {
    verso_text text = {.sink = sink, .context = context};
    verso_page_begin(&text);
    verso_text_string(&text, style);
    verso_text_string(&text, verso_report_chart_style);
    verso_page_title(&text);
    verso_text_string(&text, "run: ");
    verso_spec_title(&report->spec, steps_of(report), &text);
    verso_page_main(&text);
    write_main(report, &text);
    verso_page_end(&text);
    return verso_report_end(&text, error);
}
