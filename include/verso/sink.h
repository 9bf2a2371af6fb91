/* A sink is a callback that receives the text that Verso writes: pictures of schedules, reports of runs.
 *
 *     static verso_status to_file(void *context, const char *text, size_t size) {
 *         return fwrite(text, 1, size, context) == size ? VERSO_STATUS_OK : VERSO_STATUS_IO;
 *     }
 *     verso_report_json(&report, to_file, stdout, &error);
 *
 * Verso calls a sink only in the thread of the call that it was passed to. */
#ifndef VERSO_SINK_H
#define VERSO_SINK_H

#include <stddef.h>
#include <verso/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the next `size` bytes of the text; `text` is not NUL-terminated and is valid only during the call. `context`
 * is the pointer that was passed with the sink. If the sink returns anything but VERSO_STATUS_OK, the function that
 * writes stops and returns that status. */
typedef verso_status (*verso_sink)(void *context, const char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
