/* Draws a schedule: the horizontal axis is the steps, time runs downwards, capsules are bars.
 *
 * Both functions make the schedule of `spec`, walk through it and hand the text to `sink` piece by piece
 * (verso/sink.h); `context` is passed on to it. VERSO_STATUS_INVALID if the number of steps is VERSO_UNKNOWN; otherwise
 * they fail like verso_schedule_new and verso_schedule_cost, or with the status that `sink` returned.
 *
 * Thread safety: any thread may call these functions; they keep no state. */
#ifndef VERSO_PICTURE_H
#define VERSO_PICTURE_H

#include <verso/schedule.h>
#include <verso/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes an SVG document. It is readable from 5 to 5,000 steps; of longer schedules it shows a thinned selection. */
VERSO_API verso_status verso_picture_svg(const verso_schedule_spec *spec, verso_sink sink, void *context,
                                         verso_error *error);
/* Writes a self-contained HTML page with the picture, a table of the costs, and a legend of the colours. */
VERSO_API verso_status verso_picture_html(const verso_schedule_spec *spec, verso_sink sink, void *context,
                                          verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
