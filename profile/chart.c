/* Draws choices of sites as points of peak against time, as SVG without scripts. Colours are classes, so that the
 * page can change them for a dark screen. The axis of peaks is logarithmic if they differ much: with all sites on,
 * the peak may be a thousandth of that with all off. */
#include "profile/page.h"
#include "profile/profile.h"

#include <math.h>
#include <string.h>

const char verso__tuning_chart_style[] =
    "figure.points,ul.points{max-width:56rem}.points text{font-size:13px;fill:var(--soft)}\n"
    ".points .grid{stroke:var(--rule);fill:none}.points .budget{stroke:#5a6572;stroke-dasharray:6 4;fill:none}\n"
    ".random{fill:#9aa5b1;fill-opacity:.6}.way0{stroke:#c8102e;fill:#c8102e}.way1{stroke:#2f6fc4;fill:#2f6fc4}\n"
    ".front{stroke:#2f9a58;fill:#2f9a58}.chosen{fill:none;stroke:#e8871a;stroke-width:3}.measured{fill:#e8871a}\n"
    ".curve{stroke:#14603a;fill:#14603a}path.curve{fill:none;stroke-width:1.4;stroke-dasharray:4 3}\n"
    "path.way0,path.way1,path.front{fill:none;stroke-width:1.4}.points circle{stroke-width:0}\n"
    ".points circle.chosen{stroke-width:3}.points path.front{stroke-width:2}\n"
    "@media (max-width:40rem){.points text{font-size:21px}}\n"
    "@media (prefers-color-scheme:dark){.random{fill:#66717d}.way0{stroke:#ff5c72;fill:#ff5c72}\n"
    ".way1{stroke:#5b9bf0;fill:#5b9bf0}.front{stroke:#4fbf7c;fill:#4fbf7c}.curve{stroke:#8fe0b0;fill:#8fe0b0}path."
    "curve{fill:none}\n"
    ".points .budget{stroke:#9ba7b4}\n"
    ".chosen{stroke:#f5a34a}.measured{fill:#f5a34a}path.way0,path.way1,path.front{fill:none}}\n";

enum { WIDTH = 820, HEIGHT = 460, LEFT = 84, RIGHT = 30, TOP = 20, BOTTOM = 56 };
enum { LABEL_ROOM = 90 }; /* pixels between the centres of two labels, in the font of a narrow screen */

typedef struct chart {
    verso__text *text;
    double low, high; /* range of peaks in bytes, > 0 */
    double seconds;   /* end of the time axis, which begins at 0 */
    const verso_profile *profile;
    bool logarithmic;
} chart;

/* ---- Scales ---- */

static double chart_x(const chart *c, double peak) {
    double share = c->logarithmic ? log(fmax(peak, c->low) / c->low) / log(c->high / c->low) : peak / c->high;
    return LEFT + (WIDTH - LEFT - RIGHT) * share;
}

static double chart_y(const chart *c, double seconds) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - seconds / c->seconds);
}

static void include(chart *c, double peak, double seconds) {
    c->low = fmin(c->low, fmax(peak, 1));
    c->high = fmax(c->high, fmax(peak, 1));
    c->seconds = fmax(c->seconds, seconds);
}

static double seconds_of(const chart *c, const verso__choice *choice) {
    return verso__profile_seconds(c->profile, choice->seconds, choice->peak);
}

static void include_all(chart *c, const verso__front *choices) {
    for (size_t i = 0; i < choices->count; i++)
        include(c, (double)choices->points[i].peak, seconds_of(c, &choices->points[i]));
}

/* Returns the peak to draw. With a schedule it includes the capsules. */
static double peak_of(const verso__tuning *tuning, const verso_profile_cost *cost) {
    uint64_t beside = tuning->profile->run.beside;
    if (tuning->plan.memory == 0)
        return (double)cost->peak_bytes;
    return cost->memory_bytes > beside ? (double)(cost->memory_bytes - beside) : 1;
}

static void choose_scales(chart *c, const verso__tuning *tuning, const verso_profile_cost *measured) {
    include(c, peak_of(tuning, measured), measured->seconds);
    include(c, peak_of(tuning, &tuning->cost), tuning->cost.seconds);
    include_all(c, &tuning->front);
    include_all(c, &tuning->paths[0]);
    include_all(c, &tuning->paths[1]);
    for (size_t i = 0; i < VERSO_TUNE_RANDOM; i++)
        include(c, (double)tuning->random[i].peak_bytes, tuning->random[i].seconds);
    c->logarithmic = c->high > 20 * c->low;
    c->low /= 1.15;
    c->high *= c->logarithmic ? 1.25 : 1.08;
    c->seconds *= 1.08;
}

/* Returns a round step (1, 2 or 5 times a power of ten) that fits about five times into `span`. */
static double round_step(double span) {
    double power = pow(10, floor(log10(span / 5))), least = span / 5 / power;
    return power * (least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10);
}

/* ---- Axes ---- */

static void write_label(verso__text *text, double x, double y, const char *attributes, const char *label) {
    verso__text_print(text, "<text x=\"%s\" y=\"%s\" %s>%s</text>\n", verso__pixel(x).text, verso__pixel(y).text,
                      attributes, label);
}

static void write_upright(const chart *c, const char *class, double peak) {
    verso__text_print(c->text, "<path class=\"%s\" d=\"M%s %d", class, verso__pixel(chart_x(c, peak)).text, TOP);
    verso__text_print(c->text, "V%d\"/>\n", HEIGHT - BOTTOM);
}

static void write_peak(const chart *c, double peak, bool labelled) {
    write_upright(c, "grid", peak);
    if (labelled)
        write_label(c->text, chart_x(c, peak), HEIGHT - BOTTOM + 20, "text-anchor=\"middle\"", verso__bytes(peak).text);
}

static void write_axes(const chart *c) {
    if (c->logarithmic) {
        double decades = log10(c->high / c->low);
        bool many = decades > 4, roomy = log10(2) * (WIDTH - LEFT - RIGHT) / decades > LABEL_ROOM;
        for (double power = pow(10, floor(log10(c->low))); power <= c->high; power *= 10)
            for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3)
                if (power * digit >= c->low && power * digit <= c->high && (digit == 1 || !many))
                    write_peak(c, power * digit, digit == 1 || roomy);
    } else {
        double step = fmax(round_step(c->high), 1);
        for (double peak = 0; peak <= c->high; peak += step)
            write_peak(c, peak, true);
    }
    double step = round_step(c->seconds);
    for (int i = 0; i * step <= c->seconds; i++) {
        double y = chart_y(c, i * step);
        verso__text_print(c->text, "<path class=\"grid\" d=\"M%d %sH%d\"/>\n", LEFT, verso__pixel(y).text,
                          WIDTH - RIGHT);
        write_label(c->text, LEFT - 8, y + 5, "text-anchor=\"end\"", i > 0 ? verso__duration(i * step).text : "0");
    }
    write_label(c->text, WIDTH - RIGHT, HEIGHT - 12, "text-anchor=\"end\"", "peak of recordings and snapshots");
    write_label(c->text, LEFT + 6, TOP + 14, "", "time");
}

/* ---- Points ---- */

static void write_point(const chart *c, const char *class, double peak, double seconds, int radius) {
    verso__text_print(c->text, "<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"%d\"/>\n", class,
                      verso__pixel(chart_x(c, peak)).text, verso__pixel(chart_y(c, seconds)).text, radius);
}

static void write_way(const chart *c, const char *class, const verso__front *choices, int radius) {
    verso__text_print(c->text, "<path class=\"%s\" d=\"", class);
    for (size_t i = 0; i < choices->count; i++)
        verso__text_print(c->text, "%s%s %s", i == 0 ? "M" : "L",
                          verso__pixel(chart_x(c, (double)choices->points[i].peak)).text,
                          verso__pixel(chart_y(c, seconds_of(c, &choices->points[i]))).text);
    verso__text_string(c->text, "\"/>\n");
    for (size_t i = 0; i < choices->count; i++)
        write_point(c, class, (double)choices->points[i].peak, seconds_of(c, &choices->points[i]), radius);
}

static void write_curve(const chart *c, const verso__tuning_curve *curve) {
    verso__text_string(c->text, "<path class=\"curve\" d=\"");
    for (size_t i = 0; i < curve->count; i++)
        verso__text_print(c->text, "%s%s %s", i == 0 ? "M" : "L",
                          verso__pixel(chart_x(c, (double)curve->points[i].peak_bytes)).text,
                          verso__pixel(chart_y(c, curve->points[i].seconds)).text);
    verso__text_string(c->text, "\"/>\n");
    for (size_t i = 0; i < curve->count; i++)
        write_point(c, "curve", (double)curve->points[i].peak_bytes, curve->points[i].seconds, 4);
    if (curve->count > 0)
        write_label(c->text, chart_x(c, (double)curve->points[0].peak_bytes) + 8,
                    chart_y(c, curve->points[0].seconds) + 4, "", curve->name);
}

static void write_key(verso__text *text, bool exact) {
    static const struct {
        const char *class, *name;
        int radius;
    } entries[] = {{"random", "random choices, predicted", 3},
                   {"way0", "time-first: from all on, switch off the call that saves the most time", 4},
                   {"way1", "memory-careful: from all on, switch off the call that costs the least memory", 4},
                   {"front", NULL, 4},
                   {"chosen", "the choice, predicted", 5},
                   {"measured", "the choice, measured", 4}};
    verso__text_string(text, "<ul class=\"key points\">\n");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        verso__text_print(text,
                          "<li><svg width=\"16\" height=\"18\" aria-hidden=\"true\"><circle class=\"%s\" cx=\"8\" "
                          "cy=\"10\" r=\"%d\"/></svg><span>%s</span></li>\n",
                          entries[i].class, entries[i].radius,
                          entries[i].name != NULL ? entries[i].name
                          : exact                 ? "the front: no choice at all is better"
                                                  : "the front, as far as found");
    verso__text_string(text, "</ul>\n");
}

void verso__tuning_svg(const verso__tuning *tuning, const verso_profile_cost *measured, const char *style,
                       const verso__tuning_curve *curves, size_t count, verso__text *text) {
    chart c = {.text = text, .low = 1e300, .high = 1, .seconds = 1e-6, .profile = tuning->profile};
    uint64_t beside = tuning->profile->run.beside;
    double budget = tuning->memory > beside ? (double)(tuning->memory - beside) : 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < curves[i].count; k++)
            include(&c, (double)curves[i].points[k].peak_bytes, curves[i].points[k].seconds);
    choose_scales(&c, tuning, measured);
    verso__text_print(text,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"points\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                      "height=\"%d\" role=\"img\">\n<title>Choices: peak against time</title>\n",
                      WIDTH, HEIGHT, WIDTH, HEIGHT);
    verso__text_string(text, style);
    write_axes(&c);
    if (budget <= c.high && budget >= c.low)
        write_upright(&c, "budget", budget);
    for (size_t i = 0; i < VERSO_TUNE_RANDOM; i++)
        write_point(&c, "random", (double)tuning->random[i].peak_bytes, tuning->random[i].seconds, 3);
    write_way(&c, "way0", &tuning->paths[0], 4);
    write_way(&c, "way1", &tuning->paths[1], 4);
    write_way(&c, "front", &tuning->front, 4);
    for (size_t i = 0; i < count; i++)
        write_curve(&c, &curves[i]);
    write_point(&c, "measured", peak_of(tuning, measured), measured->seconds, 4);
    write_point(&c, "chosen", peak_of(tuning, &tuning->cost), tuning->cost.seconds, 8);
    verso__text_string(text, "</svg>\n");
}

void verso__tuning_chart(const verso__tuning *tuning, const verso_profile_cost *measured, verso__text *text) {
    verso__text_string(text, "<figure class=\"points\">\n");
    verso__tuning_svg(tuning, measured, "", NULL, 0, text);
    verso__text_string(text, "</figure>\n");
    write_key(text, tuning->front.exact);
}
