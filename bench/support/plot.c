/* See plot.h. The frame is fixed; data are scaled to it and reduced to what a column of pixels can show. */
#include "bench/support/plot.h"
#include "bench/support/output.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 820,
    HEIGHT = 460,
    LEFT = 88,
    RIGHT = 628, /* the legend is to the right of it */
    TOP = 64,
    BOTTOM = 400,
    LEGEND_ROW = 22,
};

/* The palette of Okabe and Ito. */
static const char *const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#7f4f24"};

static const char *colour_of(const bench_series *series) {
    if (series->colour < 0)
        return series->colour == -1 ? "#dcdcdc" : "#a8a8a8";
    return palette[(size_t)series->colour % (sizeof palette / sizeof *palette)];
}

/* ---- Scales ----------------------------------------------------------------------------------------------------- */

typedef struct scale {
    bool logarithmic;
    double from, to;   /* of the data */
    double start, end; /* in pixels */
} scale;

static double place(const scale *s, double value) {
    double part = s->logarithmic ? log(value / s->from) / log(s->to / s->from) : (value - s->from) / (s->to - s->from);
    return s->start + part * (s->end - s->start);
}

/* Returns 1, 2 or 5 times a power of ten, for about six ticks. */
static double tick_step(const scale *s) {
    double rough = (s->to - s->from) / 6;
    double power = pow(10, floor(log10(rough)));
    double digit = rough / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static void widen(const double *values, size_t count, bool logarithmic, double *low, double *high) {
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]) || (logarithmic && values[i] <= 0))
            continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

static scale scale_of(const bench_plot *plot, bool horizontal) {
    const bench_axis *axis = horizontal ? &plot->x : &plot->y;
    scale s = {.logarithmic = axis->logarithmic,
               .from = axis->from,
               .to = axis->to,
               .start = horizontal ? LEFT : BOTTOM,
               .end = horizontal ? RIGHT : TOP};
    if (axis->from != 0 || axis->to != 0)
        return s;
    s.from = INFINITY;
    s.to = -INFINITY;
    for (size_t i = 0; i < plot->count; i++) {
        const bench_series *series = &plot->series[i];
        widen(horizontal ? series->x : series->y, series->count, s.logarithmic, &s.from, &s.to);
        if (!horizontal && series->low)
            widen(series->low, series->count, s.logarithmic, &s.from, &s.to);
    }
    if (!(s.from < s.to))
        s.to = s.from + 1;
    if (horizontal || s.logarithmic)
        return s;
    double step = tick_step(&s); /* round outwards to a tick */
    s.from = floor(s.from / step) * step;
    s.to = ceil(s.to / step) * step;
    return s;
}

/* ---- Axes ------------------------------------------------------------------------------------------------------- */

/* Formats a number with as many digits as the step needs, and separates thousands. */
static void number_text(double value, double step, char *text, size_t size) {
    char digits[64];
    int decimals = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value) < step * 1e-6 ? 0 : value);
    size_t whole = strcspn(digits, ".");
    size_t used = 0;
    for (size_t i = 0; digits[i] && used + 2 < size; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

static void write_tick(FILE *svg, bool horizontal, double at, const char *text) {
    if (horizontal)
        fprintf(svg, "<path class='g' d='M%.1f %dV%d'/><text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", at, TOP,
                BOTTOM, at, BOTTOM + 18, text);
    else
        fprintf(svg, "<path class='g' d='M%d %.1fH%d'/><text x='%d' y='%.1f' text-anchor='end'>%s</text>\n", LEFT, at,
                RIGHT, LEFT - 8, at + 4, text);
}

static void write_linear_ticks(FILE *svg, bool horizontal, const scale *s) {
    double step = tick_step(s);
    for (double i = ceil(s->from / step - 1e-9); i * step <= s->to + step * 1e-9; i++) {
        char text[64];
        number_text(i * step, step, text, sizeof text);
        write_tick(svg, horizontal, place(s, i * step), text);
    }
}

static void write_logarithmic_ticks(FILE *svg, bool horizontal, const scale *s) {
    bool short_range = s->to / s->from < 1e3;
    for (double decade = pow(10, floor(log10(s->from))); decade <= s->to * (1 + 1e-9); decade *= 10)
        for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            double value = decade * digit;
            char text[64];
            if (value < s->from * (1 - 1e-9) || value > s->to * (1 + 1e-9) || (digit > 1 && !short_range))
                continue;
            number_text(value, value < 1 ? decade : 1, text, sizeof text);
            write_tick(svg, horizontal, place(s, value), text);
        }
}

static void write_axes(FILE *svg, const bench_plot *plot, const scale *x, const scale *y) {
    for (int horizontal = 0; horizontal < 2; horizontal++) {
        const scale *s = horizontal ? x : y;
        if (s->logarithmic)
            write_logarithmic_ticks(svg, horizontal, s);
        else
            write_linear_ticks(svg, horizontal, s);
    }
    fprintf(svg, "<path class='f' d='M%d %dV%dH%d'/>\n", LEFT, TOP, BOTTOM, RIGHT);
    fprintf(svg, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", (LEFT + RIGHT) / 2, BOTTOM + 42,
            plot->x.label);
    fprintf(svg, "<text transform='translate(18 %d) rotate(-90)' text-anchor='middle'>%s</text>\n", (TOP + BOTTOM) / 2,
            plot->y.label);
}

static void write_head(FILE *svg, int width, int height, const char *title, const char *subtitle) {
    fprintf(svg,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' role='img' "
            "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#222'>\n"
            "<title>%s</title>\n"
            "<style>.g{stroke:#e4e4e4;fill:none}.f{stroke:#444;fill:none}.s{fill:none;stroke-width:1.8;"
            "stroke-linejoin:round}</style>\n"
            "<rect width='100%%' height='100%%' fill='#fff'/>\n"
            "<text x='%d' y='26' font-size='17' font-weight='bold'>%s</text>\n"
            "<text x='%d' y='46' fill='#555'>%s</text>\n",
            width, height, width, height, title, LEFT - 68, title, LEFT - 68, subtitle ? subtitle : "");
}

/* ---- Series ----------------------------------------------------------------------------------------------------- */

static const char *dashes_of(bench_style style) {
    return style == BENCH_DASHED ? " stroke-dasharray='7 4'" : style == BENCH_DOTTED ? " stroke-dasharray='2 3'" : "";
}

static bool drawn(const scale *x, const scale *y, double at, double value) {
    bool logs = (!x->logarithmic || at > 0) && (!y->logarithmic || value > 0);
    return !isnan(value) && logs && at >= x->from && at <= x->to;
}

/* Of several points in one column of pixels, only the first, the least, the greatest and the last are drawn. */
typedef struct column {
    long pixel;
    double first, least, greatest, last;
    bool open;
} column;

static void write_column(FILE *svg, column *c, bool *pen_down) {
    if (!c->open)
        return;
    fprintf(svg, "%s%ld %.1f", *pen_down ? "L" : "M", c->pixel, c->first);
    if (c->least < c->first && c->least < c->last)
        fprintf(svg, "V%.1f", c->least);
    if (c->greatest > c->first && c->greatest > c->last)
        fprintf(svg, "V%.1f", c->greatest);
    if (c->last != c->first)
        fprintf(svg, "V%.1f", c->last);
    *pen_down = true;
    c->open = false;
}

static void write_line(FILE *svg, const bench_series *series, const scale *x, const scale *y) {
    bool thin = series->count > 2 * (size_t)(RIGHT - LEFT);
    bool pen_down = false;
    column c = {0};
    fprintf(svg, "<path class='s' stroke='%s'%s d='", colour_of(series), dashes_of(series->style));
    for (size_t i = 0; i < series->count; i++) {
        if (!drawn(x, y, series->x[i], series->y[i])) {
            write_column(svg, &c, &pen_down);
            pen_down = false;
            continue;
        }
        double px = place(x, series->x[i]);
        double py = place(y, series->y[i]);
        if (!thin) {
            fprintf(svg, "%s%.1f %.1f", pen_down ? "L" : "M", px, py);
            pen_down = true;
            continue;
        }
        if (c.open && lround(px) != c.pixel)
            write_column(svg, &c, &pen_down);
        if (!c.open)
            c = (column){lround(px), py, py, py, py, true};
        c.least = fmin(c.least, py);
        c.greatest = fmax(c.greatest, py);
        c.last = py;
    }
    write_column(svg, &c, &pen_down);
    fputs("'/>\n", svg);
}

static void write_band(FILE *svg, const bench_series *series, const scale *x, const scale *y) {
    fprintf(svg, "<path fill='%s' d='", colour_of(series));
    for (size_t i = 0; i < series->count; i++)
        fprintf(svg, "%s%.1f %.1f", i ? "L" : "M", place(x, series->x[i]), place(y, series->y[i]));
    for (size_t i = series->count; i-- > 0;)
        fprintf(svg, "L%.1f %.1f", place(x, series->x[i]), place(y, series->low[i]));
    fputs("Z'/>\n", svg);
}

static void write_legend(FILE *svg, const bench_plot *plot) {
    int row = TOP + 8;
    for (size_t i = 0; i < plot->count; i++) {
        const bench_series *series = &plot->series[i];
        if (!series->name)
            continue;
        if (series->style == BENCH_BAND)
            fprintf(svg, "<rect x='%d' y='%d' width='26' height='12' fill='%s'/>", RIGHT + 16, row - 6,
                    colour_of(series));
        else
            fprintf(svg, "<path class='s' stroke='%s'%s d='M%d %dh26'/>", colour_of(series), dashes_of(series->style),
                    RIGHT + 16, row);
        fprintf(svg, "<text x='%d' y='%d'>%s</text>\n", RIGHT + 50, row + 4, series->name);
        row += LEGEND_ROW;
    }
}

void bench_plot_write(const char *folder, const char *name, const bench_plot *plot) {
    FILE *svg = bench_create(folder, name);
    scale x = scale_of(plot, true);
    scale y = scale_of(plot, false);
    write_head(svg, WIDTH, HEIGHT, plot->title, plot->subtitle);
    for (size_t i = 0; i < plot->count; i++)
        if (plot->series[i].style == BENCH_BAND)
            write_band(svg, &plot->series[i], &x, &y);
    write_axes(svg, plot, &x, &y);
    fprintf(svg, "<clipPath id='c'><rect x='%d' y='%d' width='%d' height='%d'/></clipPath><g clip-path='url(#c)'>\n",
            LEFT, TOP - 2, RIGHT - LEFT + 2, BOTTOM - TOP + 4);
    for (size_t i = 0; i < plot->count; i++)
        if (plot->series[i].style != BENCH_BAND)
            write_line(svg, &plot->series[i], &x, &y);
    fputs("</g>\n", svg);
    write_legend(svg, plot);
    fputs("</svg>\n", svg);
    bench_close(svg);
}

/* ---- Heat maps -------------------------------------------------------------------------------------------------- */

enum { CELL_WIDTH = 36, CELL_HEIGHT = 22 };

/* Returns a colour from pale to dark, by the logarithm of the count. */
static void write_cell(FILE *svg, double x, double y, unsigned count, unsigned greatest) {
    double depth = greatest > 1 ? log(count) / log(greatest) : 1;
    int red = (int)(225 - depth * 217), green = (int)(238 - depth * 175), blue = (int)(247 - depth * 125);
    fprintf(svg, "<rect x='%.0f' y='%.0f' width='%d' height='%d' fill='#%02x%02x%02x'/>", x, y, CELL_WIDTH - 1,
            CELL_HEIGHT - 1, (unsigned)red, (unsigned)green, (unsigned)blue);
    fprintf(svg, "<text x='%.1f' y='%.0f' text-anchor='middle' font-size='11' fill='%s'>%u</text>\n",
            x + CELL_WIDTH / 2.0, y + 15, depth > 0.55 ? "#fff" : "#222", count);
}

static unsigned greatest_of(const bench_heatmap *map) {
    unsigned greatest = 0;
    for (size_t i = 0; i < map->columns * map->rows; i++)
        greatest = map->counts[i] > greatest ? map->counts[i] : greatest;
    return greatest;
}

void bench_heatmap_write(const char *folder, const char *name, const bench_heatmap *map) {
    FILE *svg = bench_create(folder, name);
    int left = LEFT - 24;
    int right = left + (int)map->columns * CELL_WIDTH;
    int bottom = TOP + (int)map->rows * CELL_HEIGHT;
    unsigned greatest = greatest_of(map);
    write_head(svg, right + 40 > 460 ? right + 40 : 460, bottom + 60, map->title, map->subtitle);
    for (size_t row = 0; row < map->rows; row++)
        for (size_t column = 0; column < map->columns; column++) {
            unsigned count = map->counts[row * map->columns + column];
            if (count > 0)
                write_cell(svg, left + (int)column * CELL_WIDTH, bottom - (int)(row + 1) * CELL_HEIGHT, count,
                           greatest);
        }
    for (size_t column = 0; column < map->columns; column++)
        fprintf(svg, "<text x='%.1f' y='%d' text-anchor='middle'>%d</text>\n",
                left + ((double)column + 0.5) * CELL_WIDTH, bottom + 18, map->x0 + (int)column);
    for (size_t row = 0; row < map->rows; row++)
        fprintf(svg, "<text x='%d' y='%d' text-anchor='end'>%d</text>\n", left - 8, bottom - (int)row * CELL_HEIGHT - 6,
                map->y0 + (int)row);
    fprintf(svg, "<path class='f' d='M%d %dV%dH%d'/>\n", left, TOP, bottom, right);
    fprintf(svg, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", (left + right) / 2, bottom + 42, map->x_label);
    fprintf(svg, "<text transform='translate(18 %d) rotate(-90)' text-anchor='middle'>%s</text>\n</svg>\n",
            (TOP + bottom) / 2, map->y_label);
    bench_close(svg);
}
