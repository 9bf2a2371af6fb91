/* The picture of a schedule: steps from left to right, time downwards; around the drawing title, axes, legend, and
 * the strip that shows how many capsules are held at each moment. */
#include "schedule/picture.h"

#include "base/alloc.h"
#include "base/status.h"
#include "schedule/cost.h"
#include "schedule/words.h"

#include <math.h>
#include <string.h>

enum {
    LEFT = 76,
    TOP = 104,
    NOTE = 18, /* additional height at the top if there is a note */
    STRIP_GAP = 40,
    STRIP = 120,
    RIGHT = 30,
    LEGEND_ROW = 20,
    NARROWEST = 420,
    WIDEST = 960,
    LOWEST = 240,
    HIGHEST = 900,
    STEP_WIDTH = 40, /* size of a step and of a unit of time, if there is room */
    TIME_HEIGHT = 14,
    DETAILED_ACTIONS = 8000,
};

/* Colours are classes, so that a page can change them for a dark screen. */
static const char style[] =
    "<style>\n"
    ".verso text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;fill:#1d2530}\n"
    ".verso .big{font-size:19px;font-weight:600}\n"
    ".verso .soft{fill:#5a6572}\n"
    ".verso .paper{fill:#fff}\n"
    ".verso .plot{fill:none;stroke:#aab3bd;stroke-width:1}\n"
    ".verso .grid{stroke:#e6e9ed;stroke-width:1;fill:none}\n"
    ".verso .forward{fill:none;stroke:#39434f}\n"
    ".verso .recording{fill:none;stroke:#c8102e}\n"
    ".verso .haze{fill:none;stroke:#39434f;stroke-opacity:.6}\n"
    ".verso .reverse{fill:none;stroke:#c8102e;stroke-linecap:round}\n"
    ".verso .shade{fill:#c8102e;fill-opacity:.06;stroke:#c8102e;stroke-opacity:.35;stroke-width:.7}\n"
    ".verso .jump{fill:none;stroke:#7f8b98;stroke-width:.9;stroke-dasharray:1.5 2.5}\n"
    ".verso .pin{fill:#7a1fa2;stroke:#fff;stroke-width:.8}\n"
    ".verso .veil{opacity:.72}\n"
    ".verso .bar:hover{filter:brightness(.7)}\n"
    ".verso .cells{fill:none}\n"
    ".verso .read{fill:#fff;stroke-width:1.6}\n"
    ".verso .t0{fill:#2f6fc4}.verso .c0,.verso .r0{stroke:#2f6fc4}\n"
    ".verso .t1{fill:#e8871a}.verso .c1,.verso .r1{stroke:#e8871a}\n"
    ".verso .t2{fill:#2f9a58}.verso .c2,.verso .r2{stroke:#2f9a58}\n"
    ".verso .t3{fill:#8d5fc7}.verso .c3,.verso .r3{stroke:#8d5fc7}\n"
    ".verso .t4{fill:#8a6d4b}.verso .c4,.verso .r4{stroke:#8a6d4b}\n"
    ".verso .t5{fill:#c2589a}.verso .c5,.verso .r5{stroke:#c2589a}\n"
    ".verso .t6{fill:#7a8a1e}.verso .c6,.verso .r6{stroke:#7a8a1e}\n"
    ".verso .t7{fill:#5b6b7c}.verso .c7,.verso .r7{stroke:#5b6b7c}\n"
    ".verso .t8{fill:#0f9a94}.verso .c8,.verso .r8{stroke:#0f9a94}\n"
    "</style>\n";

/* ---- Text ---- */

verso__number verso__series_name(const verso_schedule *schedule, size_t series) {
    if (series == VERSO_SERIES_RECORDS)
        return (verso__number){"records"};
    return verso__spec_tier_title(verso_schedule_get_spec(schedule), series);
}

verso__number verso__passes(const verso__cost *cost) {
    double passes = verso__share((double)cost->forward_steps, (double)cost->steps);
    return passes < 1000 ? verso__decimal(passes, 2) : verso__grouped((verso__wide)(passes + 0.5));
}

void verso__picture_title(const verso__picture *picture, verso__text *text) {
    verso__spec_title(verso_schedule_get_spec(picture->schedule), picture->cost.steps, text);
}

/* Writes the second line: the cost. */
static void write_costs(const verso__picture *picture, verso__text *text) {
    const verso__cost *cost = &picture->cost;
    verso__text_print(text, "%s forward steps (%s passes), ", verso__grouped(cost->forward_steps).text,
                      verso__passes(cost).text);
    verso__text_print(text, "makespan %s; at most ", verso__grouped(cost->makespan).text);
    bool first = true;
    for (size_t tier = 0; tier < verso_schedule_tiers(picture->schedule); tier++) {
        if (cost->peak_slots[tier] == 0 && tier > 0)
            continue;
        verso__number name = verso__series_name(picture->schedule, tier);
        verso__text_print(text, "%s%s %s ", first ? "" : ", ", verso__grouped(cost->peak_slots[tier]).text,
                          strcmp(name.text, "disk") == 0 ? "on" : "in");
        verso__text_escaped(text, name.text);
        first = false;
    }
}

void verso__picture_note(const verso__picture *picture, verso__text *text) {
    const verso__walked *walked = &picture->walked;
    if (picture->cost.steps == 0) {
        verso__text_string(text, "There is nothing to reverse.");
    } else if (!walked->whole) {
        double share = 100 * verso__share(walked->time, (double)picture->cost.makespan);
        verso__text_print(text, "Shown: the first %s actions, %s %% of the makespan, ",
                          verso__grouped(walked->actions).text,
                          verso__decimal(fmin(share, 100), share < 1    ? 4
                                                           : share < 10 ? 2
                                                                        : 0)
                              .text);
        if (walked->reversed_to < picture->cost.steps)
            verso__text_print(text, "in which the last %s steps are reversed.",
                              verso__grouped(picture->cost.steps - walked->reversed_to).text);
        else
            verso__text_print(text, "which run to step %s.", verso__grouped(walked->reached).text);
    }
}

/* ---- Axes ---- */

/* Returns the least round number (1, 2 or 5 times a power of ten) that is at least `least` and at least 1. */
static double round_up(double least) {
    double power = 1;
    while (power * 10 <= least)
        power *= 10;
    static const double rounds[] = {1, 2, 5, 10};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        if (power * rounds[i] >= least)
            return power * rounds[i];
    return power * 10;
}

static void write_label(verso__text *text, double x, double y, const char *anchor, const char *label) {
    verso__text_print(text, "<text class=\"soft\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">", verso__pixel(x).text,
                      verso__pixel(y).text, anchor);
    verso__text_escaped(text, label);
    verso__text_string(text, "</text>\n");
}

static void write_grid_line(verso__text *text, double x0, double y0, double x1, double y1) {
    verso__text_print(text, "<path class=\"grid\" d=\"M%s %s", verso__pixel(x0).text, verso__pixel(y0).text);
    verso__text_print(text, "L%s %s\"/>\n", verso__pixel(x1).text, verso__pixel(y1).text);
}

/* Calls `mark` at 0, at every round number, and at the end unless that is too near to the previous one. */
static void each_tick(const verso__canvas *canvas, double span, double extent, double apart, verso__text *text,
                      void (*mark)(const verso__canvas *, double, verso__text *)) {
    double step = round_up(apart * span / extent);
    double last = floor(span / step * (1 + 1e-12));
    for (double i = 0; i <= last; i++)
        if (i == last || (span - i * step) / span * extent >= apart * 0.7 || i * step == span)
            mark(canvas, i * step, text);
    if ((span - last * step) / span * extent >= apart * 0.7)
        mark(canvas, span, text);
}

static void mark_step(const verso__canvas *canvas, double step, verso__text *text) {
    double x = verso__canvas_x(canvas, step);
    write_grid_line(text, x, canvas->top - 5, x, canvas->top + canvas->height);
    write_label(text, x, canvas->top - 10, "middle", verso__tick(step, canvas->steps).text);
}

static void mark_time(const verso__canvas *canvas, double time, verso__text *text) {
    double y = verso__canvas_y(canvas, time);
    write_grid_line(text, canvas->left - 5, y, canvas->left + canvas->width, y);
    write_label(text, canvas->left - 9, y + 4, "end", verso__tick(time, canvas->time).text);
}

static void write_axes(const verso__canvas *canvas, verso__text *text) {
    each_tick(canvas, canvas->steps, canvas->width, canvas->pitch >= 24 ? canvas->pitch : 64, text, mark_step);
    each_tick(canvas, canvas->time, canvas->height, canvas->time <= 40 ? 22 : 44, text, mark_time);
    write_label(text, canvas->left, canvas->top - 28, "start", "step \xE2\x86\x92");
    write_label(text, canvas->left - 9, canvas->top - 10, "end", "time \xE2\x86\x93");
}

static void write_outline(const verso__canvas *canvas, verso__text *text) {
    verso__text_print(text, "<rect class=\"plot\" x=\"%s\" y=\"%s\" ", verso__pixel(canvas->left).text,
                      verso__pixel(canvas->top).text);
    verso__text_print(text, "width=\"%s\" height=\"%s\"/>\n", verso__pixel(canvas->width).text,
                      verso__pixel(canvas->height).text);
}

/* ---- The strip: held capsules, stacked by tier, on the same time axis ---- */

static void mark_held(const verso__canvas *strip, double held, verso__text *text) {
    double x = verso__canvas_x(strip, held);
    write_grid_line(text, x, strip->top - 5, x, strip->top + strip->height);
    write_label(text, x, strip->top - 10, "middle", verso__tick(held, strip->steps).text);
}

/* Returns the sum of the series from the bottom of the stack up to this one. The slowest tier is at the bottom,
 * because it changes least; records are on top. */
static uint64_t stacked(const uint64_t held[VERSO_SERIES], size_t series) {
    uint64_t sum = series == VERSO_SERIES_RECORDS ? held[series] : 0;
    for (size_t tier = series == VERSO_SERIES_RECORDS ? 0 : series; tier < VERSO_TIERS_MAX; tier++)
        sum += held[tier];
    return sum;
}

/* Writes the area from the strip's left edge to the sum up to this series. Wider areas are written first and lie
 * below. */
static void write_area(const verso__canvas *strip, uint64_t (*most_held)[VERSO_SERIES], size_t series,
                       verso__text *text) {
    verso__text_print(text, "<path class=\"t%zu\" d=\"M%s %s", series, verso__pixel(strip->left).text,
                      verso__pixel(strip->top).text);
    uint64_t before = 0;
    for (size_t row = 0; row < strip->rows; row++) {
        uint64_t sum = stacked(most_held[row], series);
        if (sum != before)
            verso__text_print(text, "V%sH%s", verso__pixel(strip->top + (double)row).text,
                              verso__pixel(verso__canvas_x(strip, (double)sum)).text);
        before = sum;
    }
    verso__text_print(text, "V%sH%sZ\"/>\n", verso__pixel(strip->top + strip->height).text,
                      verso__pixel(strip->left).text);
}

static void write_strip(const verso__canvas *canvas, const verso__walked *walked, uint64_t (*most_held)[VERSO_SERIES],
                        verso__text *text) {
    verso__canvas strip = *canvas;
    strip.left = canvas->left + canvas->width + STRIP_GAP;
    strip.width = STRIP;
    strip.steps = walked->peak_total > 0 ? (double)walked->peak_total : 1;
    each_tick(&strip, strip.steps, STRIP, 36, text, mark_held);
    verso__text_string(text, "<g class=\"veil\">\n");
    if (walked->peak[VERSO_SERIES_RECORDS] > 0)
        write_area(&strip, most_held, VERSO_SERIES_RECORDS, text);
    for (size_t series = 0; series < VERSO_TIERS_MAX; series++)
        if (walked->peak[series] > 0)
            write_area(&strip, most_held, series, text);
    verso__text_string(text, "</g>\n");
    write_outline(&strip, text);
    write_label(text, strip.left, strip.top - 28, "start", "capsules held \xE2\x86\x92");
}

/* ---- Legend ---- */

typedef struct legend {
    verso__text *text; /* NULL: only count the rows */
    double x, y, right;
} legend;

enum { SWATCH = 26 };

static double label_width(const char *label) {
    return 6.6 * (double)strlen(label);
}

/* Adds one entry: a drawing of SWATCH pixels, given as an element without its transformation, and a label. */
static void add_entry(legend *legend, const char *element, const char *label) {
    double width = SWATCH + 6 + label_width(label) + 14;
    if (legend->x > LEFT && legend->x + width > legend->right) {
        legend->x = LEFT;
        legend->y += LEGEND_ROW;
    }
    if (legend->text != NULL) {
        verso__text_print(legend->text, "<g transform=\"translate(%s %s)\">%s", verso__pixel(legend->x).text,
                          verso__pixel(legend->y).text, element);
        verso__text_print(legend->text, "<text x=\"%d\" y=\"4\">", SWATCH + 6);
        verso__text_escaped(legend->text, label);
        verso__text_string(legend->text, "</text></g>\n");
    }
    legend->x += width;
}

static void add_series(legend *legend, const verso__picture *picture, size_t series) {
    if (picture->walked.peak[series] == 0)
        return;
    static const char swatch[] = "<rect class=\"veil t0\" x=\"8\" y=\"-7\" width=\"9\" height=\"14\" rx=\"2\"/>";
    char element[sizeof swatch];
    strcpy(element, swatch);
    *strchr(element, '0') = (char)('0' + series);
    verso__number name = verso__series_name(picture->schedule, series);
    char label[sizeof name.text + 16];
    strcpy(label, series == VERSO_SERIES_RECORDS ? "kept record of a step" : "capsule ");
    if (series != VERSO_SERIES_RECORDS) {
        strcat(label, strcmp(name.text, "disk") == 0 ? "on " : "in ");
        strcat(label, name.text);
    }
    add_entry(legend, element, label);
}

static void add_entries(legend *legend, const verso__picture *picture) {
    add_entry(legend, "<path class=\"forward\" stroke-width=\"1.4\" d=\"M2 -6L24 6\"/>", "forward");
    if (picture->walked.peak[VERSO_SERIES_RECORDS] > 0)
        add_entry(legend, "<path class=\"recording\" stroke-width=\"1.4\" d=\"M2 -6L24 6\"/>", "forward, recording");
    add_entry(legend,
              "<path class=\"shade\" d=\"M26 -8L23 -6L3 6L3 8L26 8Z\"/>"
              "<path class=\"reverse\" stroke-width=\"3\" d=\"M23 -6L3 6\"/>",
              "reversed");
    for (size_t series = 0; series < VERSO_SERIES; series++)
        add_series(legend, picture, series);
    add_entry(legend, "<path class=\"jump\" d=\"M1 0H25\"/>", "restore");
    if (picture->cost.adjoint_stores > 0)
        add_entry(legend, "<path class=\"pin\" d=\"M13 -5l5 5l-5 5l-5 -5z\"/>", "adjoint capsule");
}

/* ---- The whole picture ---- */

static double within(double value, double least, double most) {
    return value < least ? least : value > most ? most : value;
}

static verso__canvas make_canvas(const verso__picture *picture) {
    const verso__walked *walked = &picture->walked;
    verso__canvas canvas = {.left = LEFT, .top = walked->whole && picture->cost.steps > 0 ? TOP : TOP + NOTE};
    uint64_t steps = walked->whole ? picture->cost.steps : walked->reached;
    canvas.steps = steps > 0 ? (double)steps : 1;
    canvas.time = walked->time > 0 ? walked->time : 1;
    canvas.width = within(floor(canvas.steps * STEP_WIDTH), NARROWEST, WIDEST);
    canvas.height = within(floor(canvas.time * TIME_HEIGHT), LOWEST, HIGHEST);
    canvas.pitch = canvas.width / canvas.steps;
    canvas.detailed = walked->whole && walked->actions <= DETAILED_ACTIONS;
    canvas.rows = (size_t)canvas.height;
    return canvas;
}

static void write_head(const verso__picture *picture, double width, double height, verso__text *text) {
    verso__text_print(text, "<svg class=\"verso\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" ",
                      verso__pixel(width).text, verso__pixel(height).text);
    verso__text_print(text, "viewBox=\"0 0 %s %s\" role=\"img\">\n<title>", verso__pixel(width).text,
                      verso__pixel(height).text);
    verso__picture_title(picture, text);
    verso__text_string(text, "</title>\n");
    verso__text_string(text, style);
    verso__text_string(
        text, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n<text class=\"big\" x=\"20\" y=\"30\">");
    verso__picture_title(picture, text);
    verso__text_string(text, "</text>\n<text x=\"20\" y=\"50\">");
    write_costs(picture, text);
    verso__text_string(text, "</text>\n<text class=\"soft\" x=\"20\" y=\"67\">");
    verso__picture_note(picture, text);
    verso__text_string(text, "</text>\n");
}

verso_status verso__picture_write(const verso__picture *picture, verso__text *text, verso_error *error) {
    const verso__canvas canvas = make_canvas(picture);
    const double width = LEFT + canvas.width + STRIP_GAP + STRIP + RIGHT;
    const double bottom = canvas.top + canvas.height + 26;
    legend rows = {NULL, LEFT, bottom, width - 10};
    add_entries(&rows, picture);
    uint64_t(*most_held)[VERSO_SERIES] = verso__alloc(canvas.rows, sizeof *most_held);
    if (most_held == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the picture's pixels");
    write_head(picture, width, rows.y + 20, text);
    write_axes(&canvas, text);
    verso_status status = verso__picture_draw(picture->schedule, &canvas, text, most_held, error);
    write_outline(&canvas, text);
    write_strip(&canvas, &picture->walked, most_held, text);
    legend legend = {text, LEFT, bottom, width - 10};
    add_entries(&legend, picture);
    verso__text_string(text, "</svg>\n");
    verso__dealloc(most_held);
    return status;
}

verso_status verso__picture_open(verso__picture *picture, const verso_schedule_spec *spec, verso_error *error) {
    *picture = (verso__picture){0};
    if (spec->steps == VERSO_UNKNOWN)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "a picture needs the number of steps: give it, also for a schedule that could do without");
    verso_status status = verso_schedule_new(spec, &picture->schedule, error);
    if (status == VERSO_STATUS_OK)
        status = verso__schedule_cost(picture->schedule, &picture->cost, error);
    if (status == VERSO_STATUS_OK)
        status = verso__picture_walk(picture->schedule, NULL, &picture->walked, error);
    if (status != VERSO_STATUS_OK)
        verso__picture_close(picture);
    return status;
}

void verso__picture_close(verso__picture *picture) {
    verso_schedule_free(picture->schedule);
    picture->schedule = NULL;
}

verso_status verso__picture_end(verso__text *text, verso_status status, verso_error *error) {
    verso_status written = verso__text_close(text);
    if (status != VERSO_STATUS_OK || written == VERSO_STATUS_OK)
        return status;
    return verso__fail(error, written, "the picture could not be written: %s", verso_status_text(written));
}

verso_status verso_picture_svg(const verso_schedule_spec *spec, verso_sink sink, void *context, verso_error *error) {
    verso__picture picture;
    verso_status status = verso__picture_open(&picture, spec, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__text text = {.sink = sink, .context = context};
    status = verso__picture_write(&picture, &text, error);
    verso__picture_close(&picture);
    return verso__picture_end(&text, status, error);
}
