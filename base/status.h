/* Building an error where the fact is known: `return verso_fail(error, VERSO_INVALID, "…", …);` */
#ifndef VERSO_BASE_STATUS_H
#define VERSO_BASE_STATUS_H

#include <verso/status.h>

/* Fills `error` unless it is NULL, and returns `status`. */
__attribute__((format(printf, 3, 4))) verso_status verso_fail(verso_error *error, verso_status status,
                                                              const char *format, ...);

#endif
