/* Where text goes that Verso writes: pictures of schedules, reports of runs. */
#ifndef VERSO_SINK_H
#define VERSO_SINK_H

#include <stddef.h>
#include <verso/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes `size` bytes of text; anything but VERSO_OK ends the writing and is passed on. */
typedef verso_status (*verso_sink)(void *context, const char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
