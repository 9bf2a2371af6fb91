/* A schedule as a picture: steps across, time down, capsules as bars. */
#ifndef VERSO_PICTURE_H
#define VERSO_PICTURE_H

#include <verso/schedule.h>
#include <verso/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One SVG document. Readable from 5 to 5,000 steps; longer schedules are drawn too, thinned to what a picture can show.
 */
VERSO_API verso_status verso_picture_svg(const verso_schedule_spec *spec, verso_sink sink, void *context,
                                         verso_error *error);
/* One self-contained HTML page: the picture, the cost table, and what the colours mean. */
VERSO_API verso_status verso_picture_html(const verso_schedule_spec *spec, verso_sink sink, void *context,
                                          verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
