/* The parts of the run report as an HTML page. Private to drive/.
 *
 *   html    text and tables
 *   chart   the chart of memory over time and the bar of times
 *
 * Any field of a report may be 0 or, after a clock error, nonsensical: times that are negative or not finite are
 * shown as unknown, and nothing is divided by 0. */
#ifndef VERSO_DRIVE_REPORT_H
#define VERSO_DRIVE_REPORT_H

#include <verso/run.h>

#include "base/text.h"

static inline size_t verso__report_sample_count(const verso_run_report *report) {
    return report->sample_count < VERSO_SAMPLES_MAX ? report->sample_count : VERSO_SAMPLES_MAX;
}

/* Returns `seconds`, or 0 if it is not a valid time. */
static inline double verso__report_time(double seconds) {
    return seconds >= 0 && seconds < 1e18 ? seconds : 0;
}

/* The CSS of both drawings. */
extern const char verso__report_chart_style[];
/* Draws states in memory over time; writes a sentence if there are no samples. */
void verso__report_memory(const verso_run_report *report, verso__text *text);
/* Draws the bar that shows where the time went, and its key. */
void verso__report_times(const verso_run_report *report, verso__text *text);

/* Copies a report that the caller passed, which may be shorter than the library's. The caller frees *own with
 * verso__dealloc; on failure it is NULL. */
verso_status verso__report_read(const verso_run_report *given, verso_run_report **own, verso_error *error);
/* Closes the text and turns a failure to write into an error. */
verso_status verso__report_end(verso__text *text, verso_error *error);

#endif
