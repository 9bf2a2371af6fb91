/* The drawings of a run report: states in memory over time as an area, with lines for the peak of all memory and
 * for the budget; and a bar that shows where the time went. They are SVG without scripts. Colours are classes, so
 * that the page can change them for a dark screen. On a narrow screen the chart is scaled down, so its text is made
 * larger. */
#include "drive/report.h"

#include <math.h>
#include <string.h>

const char verso__report_chart_style[] =
    ".chart{max-width:48rem}.chart text{font-size:13px;fill:var(--soft)}\n"
    ".chart .grid{stroke:var(--rule);fill:none}.chart .area{fill:#2f6fc4;fill-opacity:.25}\n"
    ".chart .edge{fill:none;stroke:#2f6fc4;stroke-width:1.6;stroke-linejoin:round}\n"
    ".chart .most{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:2 3;fill:none}.chart "
    "text.most{fill:var(--ink);stroke:none}\n"
    ".chart .budget{stroke:#c8102e;stroke-width:1.6;stroke-dasharray:6 4;fill:none}.chart text.over{fill:#c8102e}\n"
    ".times{display:block;width:100%;height:1.7rem;border-radius:.3rem}\n"
    ".p0{fill:#2f6fc4}.p1{fill:#c8102e}.p2{fill:#e8871a}.p3{fill:#2f9a58}.p4{fill:#9aa5b1}\n"
    ".times+.key{margin-top:.6rem}.key b{font-weight:400;color:var(--soft);white-space:nowrap}\n"
    "@media (max-width:40rem){.chart text{font-size:21px}}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".chart .area{fill:#5b9bf0}.chart .edge{stroke:#5b9bf0}.chart .budget{stroke:#ff5c72}.chart "
    "text.over{fill:#ff5c72}\n"
    ".p0{fill:#5b9bf0}.p1{fill:#ff5c72}.p2{fill:#f5a34a}.p3{fill:#4fbf7c}.p4{fill:#66717d}}\n";

/* ---- States in memory over time ---- */

enum { WIDTH = 720, HEIGHT = 300, LEFT = 84, RIGHT = 26, TOP = 30, BOTTOM = 36 };

typedef struct chart {
    double seconds, bytes;                                 /* the spans of the axes, both > 0 */
    double time_unit;                                      /* unit of the time axis in seconds */
    const char *unit_name;                                 /* name of that unit */
    const verso_memory_sample *samples[VERSO_SAMPLES_MAX]; /* the samples to draw, with ascending times */
    size_t count;
} chart;

static double chart_x(const chart *c, double seconds) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (seconds / c->seconds);
}

static double chart_y(const chart *c, double bytes) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - bytes / c->bytes);
}

/* Returns a round step (1, 2 or 5 times a power of ten) that fits about four times into `span`. */
static double round_step(double span) {
    double power = pow(10, floor(log10(span / 4)));
    double least = span / 4 / power;
    return power * (least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10);
}

static void choose_unit(chart *c) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, " d"}, {3600, " h"}, {60, " min"}, {1, " s"}, {1e-3, " ms"}, {1e-6, " \xC2\xB5s"}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && c->seconds < 2 * units[i].seconds)
        i++;
    c->time_unit = units[i].seconds;
    c->unit_name = units[i].name;
}

/* A budget far above what was used would flatten the chart, so the chart then ends below it and says so. */
static bool is_budget_shown(const verso_run_report *report, double peak) {
    return report->memory_budget > 0 && (double)report->memory_budget <= 5 * peak;
}

/* Returns false if there is nothing to draw. */
static bool make_chart(const verso_run_report *report, chart *c) {
    double peak = (double)report->memory_peak, last = 0;
    c->count = 0;
    for (size_t i = 0; i < verso__report_sample_count(report); i++) {
        const verso_memory_sample *sample = &report->samples[i];
        if (!(sample->seconds >= last && sample->seconds < 1e18))
            continue;
        last = sample->seconds;
        peak = fmax(peak, (double)sample->bytes);
        c->samples[c->count++] = sample;
    }
    c->seconds = fmax(last, 1e-6);
    c->bytes = 1.08 * fmax(fmax(peak, is_budget_shown(report, peak) ? (double)report->memory_budget : 0), 1);
    choose_unit(c);
    return c->count > 0;
}

static void write_label(verso__text *text, double x, double y, const char *attributes, const char *label) {
    verso__text_print(text, "<text x=\"%s\" y=\"%s\" %s>", verso__pixel(x).text, verso__pixel(y).text, attributes);
    verso__text_escaped(text, label);
    verso__text_string(text, "</text>\n");
}

static void write_line(verso__text *text, const char *class, double x, double y, const char *direction, double to) {
    verso__text_print(text, "<path class=\"%s\" d=\"M%s ", class, verso__pixel(x).text);
    verso__text_print(text, "%s%s%s\"/>\n", verso__pixel(y).text, direction, verso__pixel(to).text);
}

static void write_axes(const chart *c, verso__text *text) {
    double step = fmax(round_step(c->bytes), 1);
    for (double bytes = 0; bytes <= c->bytes; bytes += step) {
        write_line(text, "grid", LEFT, chart_y(c, bytes), "H", WIDTH - RIGHT);
        write_label(text, LEFT - 8, chart_y(c, bytes) + 5, "text-anchor=\"end\"", verso__bytes(bytes).text);
    }
    double span = c->seconds / c->time_unit;
    step = round_step(span);
    for (int i = 0; i * step <= span * (1 + 1e-9); i++) {
        verso__number label = verso__pixel(i * step);
        strcat(label.text, i > 0 ? c->unit_name : "");
        double x = chart_x(c, i * step * c->time_unit);
        write_line(text, "grid", x, TOP, "V", HEIGHT - BOTTOM + 5);
        write_label(text, x, HEIGHT - BOTTOM + 24, i > 0 ? "text-anchor=\"middle\"" : "", label.text);
    }
}

/* Writes the points of the line, without the initial move command. */
static void write_samples(const chart *c, verso__text *text) {
    for (size_t i = 0; i < c->count; i++)
        verso__text_print(text, "%s%s %s", i > 0 ? "L" : "", verso__pixel(chart_x(c, c->samples[i]->seconds)).text,
                          verso__pixel(chart_y(c, (double)c->samples[i]->bytes)).text);
}

static void write_area(const chart *c, verso__text *text) {
    verso__text_string(text, "<path class=\"area\" d=\"M");
    write_samples(c, text);
    verso__text_print(text, "V%s", verso__pixel(chart_y(c, 0)).text);
    verso__text_print(text, "H%sZ\"/>\n", verso__pixel(chart_x(c, c->samples[0]->seconds)).text);
    verso__text_string(text, "<path class=\"edge\" d=\"M");
    write_samples(c, text);
    verso__text_string(text, "\"/>\n");
}

static void write_budget(const verso_run_report *report, const chart *c, verso__text *text) {
    double budget = (double)report->memory_budget;
    if (budget == 0)
        return;
    bool shown = budget <= c->bytes;
    if (shown)
        write_line(text, "budget", LEFT, chart_y(c, budget), "H", WIDTH - RIGHT);
    verso__number label = {"budget "};
    strcat(label.text, verso__bytes(budget).text);
    strcat(label.text, shown ? "" : ", far above");
    write_label(text, WIDTH - RIGHT, shown ? chart_y(c, budget) - 7 : TOP - 10, "class=\"over\" text-anchor=\"end\"",
                label.text);
}

/* Draws the peak of all memory, which includes recordings; the samples do not. */
static void write_most(const verso_run_report *report, const chart *c, verso__text *text) {
    double most = (double)report->memory_peak;
    if (most == 0)
        return;
    verso__number label = {"most memory "};
    strcat(label.text, verso__bytes(most).text);
    write_line(text, "most", LEFT, chart_y(c, most), "H", WIDTH - RIGHT);
    write_label(text, LEFT + 8, chart_y(c, most) - 7, "class=\"most\"", label.text);
}

void verso__report_memory(const verso_run_report *report, verso__text *text) {
    chart c;
    if (!make_chart(report, &c)) {
        verso__text_string(text, "<p>Memory was not sampled.</p>\n");
        return;
    }
    verso__text_print(text,
                      "<figure class=\"chart\">\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                      "width=\"%d\" height=\"%d\" role=\"img\">\n<title>States in memory over time</title>\n",
                      WIDTH, HEIGHT, WIDTH, HEIGHT);
    write_axes(&c, text);
    write_area(&c, text);
    write_most(report, &c, text);
    write_budget(report, &c, text);
    verso__text_string(text, "</svg>\n</figure>\n<p class=\"soft\">The area shows states and file buffers. The "
                             "most memory also counts the largest recording.</p>\n");
}

/* ---- Where the time went ---- */

enum { PARTS = 5 };

typedef struct part {
    const char *name;
    double seconds;
} part;

static void find_parts(const verso_run_report *report, part parts[PARTS]) {
    parts[0] = (part){"running forward", verso__report_time(report->seconds_forward)};
    parts[1] = (part){"reversing", verso__report_time(report->seconds_reverse)};
    parts[2] = (part){"states into and out of memory", verso__report_time(report->seconds_copying)};
    parts[3] = (part){"waiting for files", verso__report_time(report->seconds_waited)};
    double known = 0;
    for (size_t i = 0; i < PARTS - 1; i++)
        known += parts[i].seconds;
    parts[4] = (part){"other", fmax(verso__report_time(report->seconds_process) - known, 0)};
}

void verso__report_times(const verso_run_report *report, verso__text *text) {
    part parts[PARTS];
    find_parts(report, parts);
    double total = 0, before = 0;
    for (size_t i = 0; i < PARTS; i++)
        total += parts[i].seconds;
    if (total == 0) {
        verso__text_string(text, "<p>No time was taken.</p>\n");
        return;
    }
    verso__text_string(text, "<svg class=\"times\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\">\n"
                             "<title>Where the time went</title>\n");
    for (size_t i = 0; i < PARTS; before += parts[i++].seconds)
        verso__text_print(text, "<rect class=\"p%zu\" x=\"%s%%\" width=\"%s%%\" height=\"100%%\"/>\n", i,
                          verso__pixel(100 * before / total).text, verso__pixel(100 * parts[i].seconds / total).text);
    verso__text_string(text, "</svg>\n<ul class=\"key\">\n");
    for (size_t i = 0; i < PARTS; i++) {
        verso__text_print(text,
                          "<li><svg width=\"16\" height=\"18\" aria-hidden=\"true\"><rect class=\"p%zu\" y=\"2\" "
                          "width=\"14\" height=\"14\" rx=\"3\"/></svg><span>%s <b>%s, ",
                          i, parts[i].name, verso__duration(parts[i].seconds).text);
        verso__text_print(text, "%s %%</b></span></li>\n", verso__decimal(100 * parts[i].seconds / total, 1).text);
    }
    verso__text_string(text, "</ul>\n");
}
