/* Profiles and tunings as self-contained HTML pages.
 *
 *   page    text and tables
 *   chart   every choice as a point of peak against time, as in figures 4 and 5 of paper 2 */
#ifndef PROFILE_PAGE_H
#define PROFILE_PAGE_H

#include "base/text.h"
#include "profile/effects.h"
#include "profile/tune.h"

/* A profile and one choice of sites. */
typedef struct verso__profile_view {
    const char *program;
    const verso_profile *profile;
    verso_profile_cost cost;      /* predicted cost of the choice */
    const verso__effect *effects; /* of all sites, relative to the choice */
} verso__profile_view;

/* Formats a difference of bytes: "+1,234". */
verso__number verso__bytes_change(int64_t bytes);
/* Formats a difference of times: "-12.3 ms". */
verso__number verso__seconds_change(double seconds);

verso_status verso__profile_html(const verso__profile_view *view, verso_sink sink, void *context);
/* Writes the page of a tuning. `view` shows the chosen sites; `measured` is the cost of a run with them. */
verso_status verso__tuning_html(const verso__profile_view *view, const verso__tuning *tuning,
                                const verso_profile_cost *measured, verso_sink sink, void *context);

/* The CSS of the chart. */
extern const char verso__tuning_chart_style[];
/* A line of measured points, labelled with its name at the first point. */
typedef struct verso__tuning_curve {
    const char *name;
    const verso_profile_cost *points; /* only peak_bytes and seconds are used */
    size_t count;
} verso__tuning_curve;
/* Writes the drawing alone, with `style` inside it and with additional curves. */
void verso__tuning_svg(const verso__tuning *tuning, const verso_profile_cost *measured, const char *style,
                       const verso__tuning_curve *curves, size_t count, verso__text *text);
/* Writes the drawing as a figure with its key. */
void verso__tuning_chart(const verso__tuning *tuning, const verso_profile_cost *measured, verso__text *text);

#endif
