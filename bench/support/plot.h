/* Small SVG figures for the pages in docs/: lines in a frame with axes, ticks and a legend, and heat maps of counts.
  * The background is white, and colour-blind readers can tell the colours apart. Every figure is one self-contained
  * file. */
#ifndef VERSO_BENCH_PLOT_H
#define VERSO_BENCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum bench_style {
    BENCH_LINE,
    BENCH_DASHED,
    BENCH_DOTTED,
    BENCH_BAND, /* the area between y and low */
} bench_style;

typedef struct bench_series {
    const char *name;
    bench_style style;
    int colour; /* 0 … 7; -1: grey, -2: a darker grey */
    size_t count;
    const double *x, *y; /* x ascending; NAN breaks the line */
    const double *low;   /* of a band */
} bench_series;

typedef struct bench_axis {
    const char *label;
    bool logarithmic;
    double from, to; /* both 0: the range of the series */
} bench_axis;

typedef struct bench_plot {
    const char *title, *subtitle;
    bench_axis x, y;
    const bench_series *series;
    size_t count;
} bench_plot;

void bench_plot_write(const char *folder, const char *name, const bench_plot *plot);

/* Columns x0, x0 + 1, … and rows y0, y0 + 1, … upwards; white where the count is 0. */
typedef struct bench_heatmap {
    const char *title, *subtitle, *x_label, *y_label;
    size_t columns, rows;
    int x0, y0;
    const unsigned *counts; /* row by row */
} bench_heatmap;

void bench_heatmap_write(const char *folder, const char *name, const bench_heatmap *map);

#endif
