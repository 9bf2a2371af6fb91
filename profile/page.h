/* Profiles and tunings as HTML pages that need no other file.
 *
 *   page    the words and the tables
 *   chart   every choice as a point of peak against time, as in figures 4 and 5 of paper 2 */
#ifndef PROFILE_PAGE_H
#define PROFILE_PAGE_H

#include "base/text.h"
#include "profile/effects.h"
#include "profile/tune.h"

/* What a profile says about one choice of sites. */
typedef struct verso_profile_view {
    const char *program;
    const verso_profile *profile;
    verso_profile_cost cost; /* of the choice */
    const verso_effect *effects;
} verso_profile_view;

/* "+1,234": a difference of bytes. */
verso_number verso_bytes_change(int64_t bytes);
/* "-12.3 ms": a difference of times. */
verso_number verso_seconds_change(double seconds);

verso_status verso_profile_html(const verso_profile_view *view, verso_sink sink, void *context);
/* `view` is of the choice that was tuned; `measured` is what a run with it took. */
verso_status verso_tuning_html(const verso_profile_view *view, const verso_tuning *tuning,
                               const verso_profile_cost *measured, verso_sink sink, void *context);

/* CSS of the chart, and the figure with its key. */
extern const char verso_tuning_chart_style[];
/* The drawing alone; `style` is put into it. */
void verso_tuning_svg(const verso_tuning *tuning, const verso_profile_cost *measured, const char *style,
                      verso_text *text);
void verso_tuning_chart(const verso_tuning *tuning, const verso_profile_cost *measured, verso_text *text);

#endif
