/* The run report as a page: its parts. Private to drive/.
 *
 *   html    the words and the tables
 *   chart   memory over time, and the bar of where the time went
 *
 * A report comes from a caller who may have left any field at 0, or from clocks that misbehaved: times that are not
 * finite or below 0 are shown as not known, and no share is computed of nothing. */
#ifndef VERSO_DRIVE_REPORT_H
#define VERSO_DRIVE_REPORT_H

#include <verso/run.h>

#include "base/text.h"

static inline size_t verso_report_sample_count(const verso_run_report *report) {
    return report->sample_count < VERSO_SAMPLES_MAX ? report->sample_count : VERSO_SAMPLES_MAX;
}

/* What is not a time counts as none. */
static inline double verso_report_time(double seconds) {
    return seconds >= 0 && seconds < 1e18 ? seconds : 0;
}

/* CSS of both drawings. */
extern const char verso_report_chart_style[];
/* The figure of memory over time; a sentence where there are no samples. */
void verso_report_memory(const verso_run_report *report, verso_text *text);
/* The bar and its key. */
void verso_report_times(const verso_run_report *report, verso_text *text);

/* Closes the text; a failure to write becomes the error. */
verso_status verso_report_end(verso_text *text, verso_error *error);

#endif
