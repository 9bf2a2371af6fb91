/* Turns actions into marks. Time only increases, so marks can be merged as they come:
 *
 *   - A forward stretch lower than LOWEST_LINE darkens cells of the current row of pixels instead of becoming a line.
 *     A long schedule has any number of these, but hardly more than one longer stretch per row.
 *   - A capsule that lives less than a pixel also becomes a cell of its row. The others are bars; those of one column
 *     that touch are merged, unless there are few enough actions to keep every bar.
 *   - Reversed stretches only go left and down, so they form one staircase. Corners that are too near are dropped. */
#include "schedule/picture.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"

#include <math.h>
#include <string.h>

static const double LOWEST_LINE = 0.7;   /* pixels; lower lines become cells */
static const double LOWEST_BAR = 1.0;    /* pixels; lower bars become cells */
static const double SHORTEST_STEP = 0.8; /* pixels of the staircase, horizontal and vertical together */

/* A cell of the current row: bit s for a short-lived capsule of series s, and one bit for the working state. */
enum { CELL_TRACK = 1 << VERSO_SERIES };

typedef struct bar {
    double since, until;
    uint64_t first, last;
    uint64_t capsules; /* number of merged capsules; 0: no bar */
    verso__kept any;   /* the capsule, if there is only one */
} bar;

typedef struct drawing {
    const verso_schedule *schedule;
    const verso__canvas *canvas;
    size_t columns;
    bar *bars;       /* [VERSO_SERIES][columns]: open bars that are not yet written */
    uint16_t *cells; /* [columns + 1]: cells of the current row */
    size_t row;
    double bar_width;
    double working;             /* step of the working state */
    double front_x, front_y;    /* current end of the staircase */
    double corner_x, corner_y;  /* end of its last mark */
    double last_jump, last_pin; /* y of the last drawn restore and adjoint capsule */
    bool reversing;             /* the staircase has begun */
    uint64_t held[VERSO_SERIES];
    uint64_t (*most_held)[VERSO_SERIES];
    verso__text shade, jumps, tracks, records, reverses, touches, pins;
    verso__text layers[VERSO_SERIES];      /* bars */
    verso__text cell_layers[VERSO_SERIES]; /* capsules that are cells */
    verso__text haze;                      /* tracks that are cells */
} drawing;

static double x_of(const drawing *drawing, uint64_t step) {
    return verso__canvas_x(drawing->canvas, (double)step);
}

static double y_of(const drawing *drawing, double time) {
    return verso__canvas_y(drawing->canvas, time);
}

static size_t column_of(const drawing *drawing, double x) {
    double column = x - drawing->canvas->left;
    return column <= 0 ? 0 : column >= (double)drawing->columns ? drawing->columns - 1 : (size_t)column;
}

static size_t row_of(const drawing *drawing, double y) {
    double row = y - drawing->canvas->top;
    return row <= 0 ? 0 : row >= (double)drawing->canvas->rows ? drawing->canvas->rows - 1 : (size_t)row;
}

static void line(verso__text *text, double x0, double y0, double x1, double y1) {
    verso__text_print(text, "M%s %sL%s %s", verso__pixel(x0).text, verso__pixel(y0).text, verso__pixel(x1).text,
                      verso__pixel(y1).text);
}

/* ---- Cells ---- */

static void write_runs(const drawing *drawing, verso__text *text, uint16_t bit) {
    double y = drawing->canvas->top + (double)drawing->row + 0.5;
    for (size_t column = 0; column < drawing->columns; column++) {
        size_t start = column;
        while (column < drawing->columns && (drawing->cells[column] & bit) != 0)
            column++;
        if (column > start)
            verso__text_print(text, "M%s %sh%zu", verso__pixel(drawing->canvas->left + (double)start).text,
                              verso__pixel(y).text, column - start);
    }
}

static void finish_row(drawing *drawing) {
    unsigned used = 0;
    for (size_t column = 0; column < drawing->columns; column++)
        used |= drawing->cells[column];
    if (used == 0)
        return;
    for (size_t series = 0; series < VERSO_SERIES; series++)
        if ((used & 1U << series) != 0)
            write_runs(drawing, &drawing->cell_layers[series], (uint16_t)(1U << series));
    if ((used & CELL_TRACK) != 0)
        write_runs(drawing, &drawing->haze, CELL_TRACK);
    memset(drawing->cells, 0, drawing->columns * sizeof *drawing->cells);
}

static void darken(drawing *drawing, double x0, double x1, double y, uint16_t bit) {
    size_t row = row_of(drawing, y);
    if (row != drawing->row) {
        finish_row(drawing);
        drawing->row = row;
    }
    size_t last = column_of(drawing, x1);
    for (size_t column = column_of(drawing, x0); column <= last; column++)
        drawing->cells[column] |= bit;
}

/* ---- Bars ---- */

/* A slower tier's bar is wider and lies below, so that a state held in two tiers shows both. */
static double bar_width(const drawing *drawing, size_t series) {
    return series == VERSO_SERIES_RECORDS ? drawing->bar_width : drawing->bar_width * (1 + 0.7 * (double)series);
}

static void write_tooltip(const drawing *drawing, verso__text *text, const bar *bar, size_t series) {
    verso__text_string(text, "<title>");
    if (bar->capsules > 1)
        verso__text_print(text, "%s capsules: ", verso__grouped(bar->capsules).text);
    verso__text_print(text, "%s %s", series == VERSO_SERIES_RECORDS ? "record of step" : "state",
                      verso__grouped(bar->first).text);
    if (bar->last != bar->first && bar->capsules > 1)
        verso__text_print(text, " to %s", verso__grouped(bar->last).text);
    verso__text_print(text, ", %s", verso__series_name(drawing->schedule, bar->any.tier).text);
    if (bar->capsules == 1)
        verso__text_print(text, " slot %s", verso__grouped(bar->any.slot).text);
    verso__text_print(text, ", time %s to ", verso__grouped((verso__wide)bar->since).text);
    verso__text_print(text, "%s</title>", verso__grouped((verso__wide)bar->until).text);
}

static void write_bar(drawing *drawing, const bar *bar, size_t series) {
    double center = (x_of(drawing, bar->first) + x_of(drawing, bar->last)) / 2;
    double spread = x_of(drawing, bar->last) - x_of(drawing, bar->first);
    double width = bar_width(drawing, series);
    double top = y_of(drawing, bar->since), bottom = y_of(drawing, bar->until);
    if (series != VERSO_SERIES_RECORDS && spread > width)
        width = spread;
    verso__text *text = &drawing->layers[series];
    verso__text_print(text, "<rect class=\"bar t%zu\" x=\"%s\" y=\"%s\" ", series,
                      verso__pixel(center - width / 2).text, verso__pixel(top).text);
    verso__text_print(text, "width=\"%s\" height=\"%s\"", verso__pixel(width).text,
                      verso__pixel(fmax(bottom - top, LOWEST_BAR)).text);
    if (width >= 4)
        verso__text_string(text, " rx=\"2\"");
    verso__text_string(text, ">");
    write_tooltip(drawing, text, bar, series);
    verso__text_string(text, "</rect>\n");
}

/* Merges the bar with the open one of its column, or writes that one and takes its place. */
static void merge_bar(drawing *drawing, const bar *new_bar, size_t series) {
    size_t column = column_of(drawing, x_of(drawing, new_bar->first));
    bar *open = &drawing->bars[series * drawing->columns + column];
    double gap = drawing->canvas->time / drawing->canvas->height; /* one pixel of time */
    if (open->capsules > 0 && new_bar->since <= open->until + gap && new_bar->until >= open->since - gap) {
        open->since = fmin(open->since, new_bar->since);
        open->until = fmax(open->until, new_bar->until);
        open->first = open->first < new_bar->first ? open->first : new_bar->first;
        open->last = open->last > new_bar->last ? open->last : new_bar->last;
        open->capsules++;
        return;
    }
    if (open->capsules > 0)
        write_bar(drawing, open, series);
    *open = *new_bar;
}

static void saw_kept(void *context, const verso__kept *held, double until) {
    drawing *drawing = context;
    size_t series = verso__kept_series(held);
    bar bar = {held->since, until, held->first, held->last, 1, *held};
    if (drawing->canvas->detailed)
        write_bar(drawing, &bar, series);
    else if (y_of(drawing, until) - y_of(drawing, held->since) >= LOWEST_BAR)
        merge_bar(drawing, &bar, series);
    else
        darken(drawing, x_of(drawing, held->first), x_of(drawing, held->first), y_of(drawing, until),
               (uint16_t)(1U << series));
}

/* ---- Actions ---- */

static void draw_forward(drawing *drawing, verso__text *text, const verso_action *action, double y0, double y1) {
    double x0 = x_of(drawing, action->from), x1 = x_of(drawing, action->to);
    if (drawing->canvas->detailed || y1 - y0 >= LOWEST_LINE)
        line(text, x0, y0, x1, y1);
    else
        darken(drawing, x0, x1, y0, CELL_TRACK);
    drawing->working = (double)action->to;
}

/* Draws the mark on the bar where it is written or read: as high as that takes, or a dot if it takes no time. */
static void draw_touch(drawing *drawing, const verso_action *action, double y0, double y1) {
    double x = x_of(drawing, action->from), width = bar_width(drawing, action->tier);
    bool dots = drawing->canvas->detailed && drawing->canvas->pitch >= 8;
    verso__text *text = &drawing->touches;
    if (y1 - y0 >= 1) {
        double wide = width + fmax(drawing->bar_width, 2);
        verso__text_print(text, "<rect class=\"t%u\" x=\"%s\" y=\"%s\" ", action->tier, verso__pixel(x - wide / 2).text,
                          verso__pixel(y0).text);
        verso__text_print(text, "width=\"%s\" height=\"%s\"/>\n", verso__pixel(wide).text, verso__pixel(y1 - y0).text);
    } else if (dots) {
        verso__text_print(text, "<circle class=\"%s%u\" cx=\"%s\" ",
                          action->kind == VERSO_ACTION_STORE ? "t" : "read r", action->tier, verso__pixel(x).text);
        verso__text_print(text, "cy=\"%s\" r=\"%s\"/>\n", verso__pixel(y0).text, verso__pixel(width * 0.65).text);
    }
}

/* Draws a restore, which moves the working state at once. If there are too many, only some long ones are drawn. */
static void draw_jump(drawing *drawing, const verso_action *action, double y) {
    double x0 = verso__canvas_x(drawing->canvas, drawing->working), x1 = x_of(drawing, action->from);
    bool crowded = !drawing->canvas->detailed || drawing->canvas->pitch < 3;
    if (fabs(x1 - x0) >= (crowded ? 6 : 0.5) && (!crowded || y >= drawing->last_jump + 8)) {
        line(&drawing->jumps, x0, y, x1, y);
        drawing->last_jump = y;
    }
    drawing->working = (double)action->from;
}

/* Writes the part of the staircase since its last mark. */
static void write_stair(drawing *drawing) {
    if (drawing->corner_x == drawing->front_x && drawing->corner_y == drawing->front_y)
        return;
    line(&drawing->reverses, drawing->corner_x, drawing->corner_y, drawing->front_x, drawing->front_y);
    verso__text_print(&drawing->shade, "L%s %s", verso__pixel(drawing->corner_x).text,
                      verso__pixel(drawing->corner_y).text);
    verso__text_print(&drawing->shade, "L%s %s", verso__pixel(drawing->front_x).text,
                      verso__pixel(drawing->front_y).text);
    drawing->corner_x = drawing->front_x;
    drawing->corner_y = drawing->front_y;
}

static void draw_reverse(drawing *drawing, const verso_action *action, double y0, double y1) {
    double shortest = drawing->canvas->detailed ? 0 : SHORTEST_STEP;
    if (!drawing->reversing)
        verso__text_print(&drawing->shade, "M%s %s", verso__pixel(x_of(drawing, action->from)).text,
                          verso__pixel(y0).text);
    if (!drawing->reversing || y0 - drawing->front_y > shortest) {
        if (drawing->reversing)
            write_stair(drawing);
        drawing->corner_x = x_of(drawing, action->from);
        drawing->corner_y = y0;
    }
    drawing->reversing = true;
    drawing->front_x = x_of(drawing, action->to);
    drawing->front_y = y1;
    if (drawing->corner_x - drawing->front_x + y1 - drawing->corner_y >= shortest)
        write_stair(drawing);
    drawing->working = (double)action->to;
}

/* Draws an adjoint capsule as a diamond on the staircase. */
static void draw_pin(drawing *drawing, const verso_action *action, double y) {
    if (y < drawing->last_pin + 2 && !drawing->canvas->detailed)
        return;
    drawing->last_pin = y;
    double size = fmin(6, fmax(4.5, drawing->canvas->pitch * 0.2));
    const verso__number half = verso__pixel(size);
    const char *s = half.text;
    verso__text_print(&drawing->pins, "<path class=\"pin\" d=\"M%s %s", verso__pixel(x_of(drawing, action->from)).text,
                      verso__pixel(y - size).text);
    verso__text_print(&drawing->pins, "l%s %sl-%s %sl-%s -%sz\">", s, s, s, s, s, s);
    verso__text_print(&drawing->pins, "<title>adjoint of state %s</title></path>\n", verso__grouped(action->from).text);
}

static void count_held(drawing *drawing, double y0, double y1, const uint64_t *held) {
    uint64_t before = 0, after = 0;
    for (size_t series = 0; series < VERSO_SERIES; series++) {
        before += drawing->held[series];
        after += held[series];
    }
    if (after > before)
        memcpy(drawing->held, held, sizeof drawing->held);
    uint64_t most = after > before ? after : before;
    for (size_t row = row_of(drawing, y0); row <= row_of(drawing, y1); row++) {
        uint64_t *shown = drawing->most_held[row], total = 0;
        for (size_t series = 0; series < VERSO_SERIES; series++)
            total += shown[series];
        if (most > total)
            memcpy(shown, drawing->held, sizeof drawing->held);
    }
    memcpy(drawing->held, held, sizeof drawing->held);
}

static void saw_action(void *context, const verso_action *action, double start, double end, const uint64_t *held) {
    drawing *drawing = context;
    double y0 = y_of(drawing, start), y1 = y_of(drawing, end);
    count_held(drawing, y0, y1, held);
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE: draw_forward(drawing, &drawing->tracks, action, y0, y1); break;
    case VERSO_ACTION_RECORD: draw_forward(drawing, &drawing->records, action, y0, y1); break;
    case VERSO_ACTION_STORE: draw_touch(drawing, action, y0, y1); break;
    case VERSO_ACTION_RESTORE:
        draw_jump(drawing, action, y0);
        draw_touch(drawing, action, y0, y1);
        break;
    case VERSO_ACTION_REVERSE:
    case VERSO_ACTION_SWEEP: draw_reverse(drawing, action, y0, y1); break;
    case VERSO_ACTION_STORE_ADJOINT: draw_pin(drawing, action, y0); break;
    case VERSO_ACTION_DISCARD:
    case VERSO_ACTION_DONE: break;
    }
}

/* ---- The whole drawing ---- */

static void finish_marks(drawing *drawing) {
    const verso__canvas *canvas = drawing->canvas;
    finish_row(drawing);
    for (size_t i = 0; i < VERSO_SERIES * drawing->columns; i++)
        if (drawing->bars[i].capsules > 0)
            write_bar(drawing, &drawing->bars[i], i / drawing->columns);
    if (drawing->reversing) {
        write_stair(drawing);
        verso__text_print(&drawing->shade, "V%s", verso__pixel(canvas->top + canvas->height).text);
        verso__text_print(&drawing->shade, "H%sZ", verso__pixel(canvas->left + canvas->width).text);
    }
}

static void write_path(verso__text *text, verso__text *data, const char *class, double stroke_width) {
    if (data->size == 0 && data->status == VERSO_STATUS_OK)
        return;
    verso__text_print(text, "<path class=\"%s\" ", class);
    if (stroke_width > 0)
        verso__text_print(text, "stroke-width=\"%s\" ", verso__pixel(stroke_width).text);
    verso__text_string(text, "d=\"");
    verso__text_move(text, data);
    verso__text_string(text, "\"/>\n");
}

static void write_layers(drawing *drawing, verso__text *text) {
    const double pitch = drawing->canvas->pitch;
    const double thin = fmin(1.6, fmax(0.7, pitch * 0.1)), bold = fmin(4, fmax(1.6, pitch * 0.3));
    write_path(text, &drawing->shade, "shade", 0);
    verso__text_string(
        text, "<g class=\"veil\">\n"); /* one opacity for all of them, so that those below do not shine through */
    for (size_t series = VERSO_SERIES; series-- > 0;) {
        verso__text_move(text, &drawing->layers[series]);
        char class[16] = "cells c0";
        class[7] = (char)('0' + series);
        write_path(text, &drawing->cell_layers[series], class, 1);
    }
    verso__text_string(text, "</g>\n");
    write_path(text, &drawing->jumps, "jump", 0);
    verso__text_move(text, &drawing->touches);
    write_path(text, &drawing->haze, "haze", 1);
    write_path(text, &drawing->tracks, "forward", thin);
    write_path(text, &drawing->records, "recording", thin);
    write_path(text, &drawing->reverses, "reverse", bold);
    verso__text_move(text, &drawing->pins);
}

verso_status verso__picture_draw(const verso_schedule *schedule, const verso__canvas *canvas, verso__text *text,
                                 uint64_t (*most_held)[VERSO_SERIES], verso_error *error) {
    drawing drawing = {.schedule = schedule, .canvas = canvas, .most_held = most_held};
    drawing.columns = (size_t)canvas->width;
    drawing.bar_width = fmin(9, fmax(1.6, canvas->pitch * 0.35));
    drawing.last_jump = drawing.last_pin = -10;
    drawing.bars = verso__alloc(VERSO_SERIES * drawing.columns, sizeof *drawing.bars);
    drawing.cells = verso__alloc(drawing.columns + 1, sizeof *drawing.cells);
    verso_status status = VERSO_STATUS_OK;
    if (drawing.bars == NULL || drawing.cells == NULL) {
        status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the picture's pixels");
    } else {
        const verso__watcher watcher = {&drawing, saw_action, saw_kept};
        verso__walked walked;
        status = verso__picture_walk(schedule, &watcher, &walked, error);
        finish_marks(&drawing);
    }
    verso__dealloc(drawing.bars);
    verso__dealloc(drawing.cells);
    write_layers(&drawing, text); /* also after a failure, because it frees the layers */
    return status;
}
