/* Creates an error: `return verso__fail(error, VERSO_STATUS_INVALID, "...", ...);` */
#ifndef VERSO_BASE_STATUS_H
#define VERSO_BASE_STATUS_H

#include <verso/status.h>

/* Stores the status and the formatted message in `error`, unless it is NULL, and returns `status`. */
__attribute__((format(printf, 3, 4))) verso_status verso__fail(verso_error *error, verso_status status,
                                                               const char *format, ...);

#endif
