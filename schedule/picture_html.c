/* The page around a picture: the picture, how to read it, and its cost. It is self-contained. */
#include "schedule/picture.h"

#include "base/page.h"
#include "schedule/cost.h"

#include <string.h>

/* The picture's own colours are for a white background; a dark screen gets brighter ones. "body" makes these rules
 * more specific than the picture's. */
static const char dark_style[] =
    "@media (prefers-color-scheme:dark){\n"
    "body .verso text{fill:#e4e8ed}body .verso text.soft{fill:#9ba7b4}\n"
    "body .verso .paper{fill:none}body .verso .plot{stroke:#56616d}body .verso .grid{stroke:#262d35}\n"
    "body .verso .forward,body .verso .haze{stroke:#c3ccd6}body .verso .jump{stroke:#8b97a5}\n"
    "body .verso .reverse,body .verso .recording{stroke:#ff5c72}\n"
    "body .verso .shade{fill:#ff5c72;fill-opacity:.1;stroke:#ff5c72}\n"
    "body .verso .pin{fill:#d18bf0;stroke:#12161b}body .verso .read{fill:#12161b}\n"
    "body .verso .t0{fill:#5b9bf0}body .verso .c0,body .verso .r0{stroke:#5b9bf0}\n"
    "body .verso .t1{fill:#f5a34a}body .verso .c1,body .verso .r1{stroke:#f5a34a}\n"
    "}\n";

/* ---- How to read it ---- */

static void write_reading(const verso__picture *picture, verso__text *text) {
    verso__text_string(
        text,
        "<h2>How to read it</h2>\n<p>Steps go from left to right, time from top to bottom. "
        "A thin line is the computation running forward; the flatter it is, the more steps it makes in the time. "
        "A bar is a capsule: it stands at the step whose state it keeps, from the moment when it is stored to the "
        "moment when it is discarded. When the computation is needed again at an earlier step, it jumps to a bar and "
        "runs forward from there: every such line is work done once more. The bold line is the reversal; it only goes "
        "left, and what lies to the right of it is finished. The strip at the side shows on the same clock how many "
        "capsules are held, which is what the memory must have room for. Point at a bar to see its step, its tier "
        "and its slot.");
    if (!picture->walked.whole)
        verso__text_string(
            text, " This schedule is too long to be drawn to its end; the costs below are those of the whole.");
    verso__text_string(text, "</p>\n");
}

static void write_key(verso__text *text, const char *swatch, const char *meaning) {
    verso__text_string(
        text, "<li><svg class=\"verso\" width=\"26\" height=\"18\" viewBox=\"0 -9 26 18\" aria-hidden=\"true\">");
    verso__text_string(text, swatch);
    verso__text_string(text, "</svg><span>");
    verso__text_string(text, meaning);
    verso__text_string(text, "</span></li>\n");
}

static void write_series_key(const verso__picture *picture, size_t series, verso__text *text) {
    static const char pattern[] = "<rect class=\"veil t0\" x=\"8\" y=\"-8\" width=\"9\" height=\"16\" rx=\"2\"/>";
    char swatch[sizeof pattern];
    strcpy(swatch, pattern);
    *strchr(swatch, '0') = (char)('0' + series);
    verso__number name = verso__series_name(picture->schedule, series);
    char meaning[128] = "the record of a step, kept in a slot until it is swept";
    if (series != VERSO_SERIES_RECORDS) {
        strcpy(meaning, "a capsule in ");
        strcat(meaning, name.text);
        if (series > 0)
            strcat(meaning, " (wider, so that a state held twice shows both)");
    }
    write_key(text, swatch, meaning);
}

static void write_keys(const verso__picture *picture, verso__text *text) {
    verso__text_string(text, "<h2>Colours</h2>\n<ul class=\"key\">\n");
    write_key(text, "<path class=\"forward\" stroke-width=\"1.4\" d=\"M2 -6L24 6\"/>",
              "steps run forward without recording; a grey haze where there are too many lines to tell apart");
    if (picture->walked.peak[VERSO_SERIES_RECORDS] > 0)
        write_key(text, "<path class=\"recording\" stroke-width=\"1.4\" d=\"M2 -6L24 6\"/>",
                  "a step run forward while it is recorded");
    write_key(text, "<path class=\"reverse\" stroke-width=\"3\" d=\"M23 -6L3 6\"/>",
              "steps reversed, and the edge of what is still to be reversed");
    for (size_t series = 0; series < VERSO_SERIES; series++)
        if (picture->walked.peak[series] > 0)
            write_series_key(picture, series, text);
    write_key(text, "<path class=\"jump\" d=\"M1 0H25\"/>",
              "a capsule restored: the computation jumps back to its step");
    if (picture->cost.adjoint_stores > 0)
        write_key(text, "<path class=\"pin\" d=\"M13 -5l5 5l-5 5l-5 -5z\"/>",
                  "an adjoint capsule: from here the reversal continues if the machine fails");
    verso__text_string(text, "</ul>\n");
}

/* ---- Costs ---- */

static void write_row(verso__text *text, const char *what, const char *value) {
    verso__text_print(text, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", what, value);
}

static void write_optional_row(verso__text *text, const char *what, uint64_t value) {
    if (value != 0)
        write_row(text, what, value == VERSO_UNKNOWN ? "unbounded" : verso__grouped(value).text);
}

static void write_optimality(const verso__cost *cost, verso__text *text) {
    if (cost->least_makespan == 0)
        return;
    if (cost->least_makespan == cost->makespan) {
        write_row(text, "Least makespan under these limits", "this one: it is optimal");
        return;
    }
    verso__text_print(text, "<tr><th scope=\"row\">Least makespan under these limits</th><td>%s (this one: ",
                      verso__grouped(cost->least_makespan).text);
    verso__text_print(text, "%s times)</td></tr>\n",
                      verso__decimal((double)cost->makespan / (double)cost->least_makespan, 3).text);
}

static void write_costs(const verso__picture *picture, verso__text *text) {
    const verso__cost *cost = &picture->cost;
    verso__text_string(text, "<h2>Costs</h2>\n<table>\n<tbody>\n");
    write_row(text, "Steps", verso__grouped(cost->steps).text);
    write_row(text, "Forward steps, run without recording", verso__grouped(cost->forward_steps).text);
    write_row(text, "The same in passes over all steps", verso__passes(cost).text);
    write_row(text, "Steps recorded", verso__grouped(cost->recorded_steps).text);
    write_row(text, "Makespan: forward, backward, writes and reads", verso__grouped(cost->makespan).text);
    write_optimality(cost, text);
    write_row(text, "Maximum number of times that a step is run without recording",
              verso__grouped(cost->repetition).text);
    write_row(text, "Longest stretch recorded at once", verso__grouped(cost->longest_recording).text);
    write_optional_row(text, "Adjoint capsules", cost->adjoint_stores);
    write_optional_row(text, "Least resilience distance that costs nothing", cost->free_distance);
    write_optional_row(text, "Period of the outer capsules", cost->period);
    verso__text_string(text, "</tbody>\n</table>\n");
}

static void write_tiers(const verso__picture *picture, verso__text *text) {
    verso__text_string(text, "<table>\n<thead><tr><th scope=\"col\">Capsules</th><th scope=\"col\">writes</th>"
                             "<th scope=\"col\">reads</th><th scope=\"col\">most at once</th></tr></thead>\n<tbody>\n");
    for (size_t tier = 0; tier < verso_schedule_tiers(picture->schedule); tier++) {
        verso__text_string(text, "<tr><th scope=\"row\">");
        verso__text_escaped(text, verso__series_name(picture->schedule, tier).text);
        verso__text_print(
            text, "</th><td>%s</td><td>%s</td><td>%s</td></tr>\n", verso__grouped(picture->cost.writes[tier]).text,
            verso__grouped(picture->cost.reads[tier]).text, verso__grouped(picture->cost.peak_slots[tier]).text);
    }
    verso__text_string(text, "</tbody>\n</table>\n");
}

/* ---- The page ---- */

static void write_top(const verso__picture *picture, verso__text *text) {
    verso__page_begin(text);
    verso__text_string(text, dark_style);
    verso__page_title(text);
    verso__picture_title(picture, text);
    verso__page_main(text);
    verso__text_string(text, "<h1>Schedule ");
    verso__text_escaped(text, verso_kind_word(verso_schedule_get_spec(picture->schedule)->kind));
    verso__text_string(text, "</h1>\n<p class=\"lead\">");
    verso__text_escaped(text, verso_kind_meaning(verso_schedule_get_spec(picture->schedule)->kind));
    verso__text_string(text, "</p>\n<figure>\n");
}

verso_status verso_picture_html(const verso_schedule_spec *spec, verso_sink sink, void *context, verso_error *error) {
    verso__picture picture;
    verso_status status = verso__picture_open(&picture, spec, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__text text = {.sink = sink, .context = context};
    write_top(&picture, &text);
    status = verso__picture_write(&picture, &text, error);
    verso__text_string(&text, "</figure>\n<div class=\"columns\">\n<section>\n");
    write_reading(&picture, &text);
    write_keys(&picture, &text);
    verso__text_string(&text, "</section>\n<section>\n");
    write_costs(&picture, &text);
    write_tiers(&picture, &text);
    verso__text_string(&text, "</section>\n</div>\n");
    verso__page_end(&text);
    verso__picture_close(&picture);
    return verso__picture_end(&text, status, error);
}
