/* What a call of Verso can answer: a status, and a message that says what, where and what to do.
 *
 * Every function that can fail returns a `verso_status`; most also take a `verso_error *` as their last argument, which
 * may be NULL. It is written only on failure, by the code that knew the fact. Nothing below the command line prints or
 * exits. */
#ifndef VERSO_STATUS_H
#define VERSO_STATUS_H

#include <verso/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One list gives code, name and text. Codes are part of the ABI: append, never renumber. */
#define VERSO_STATUS_LIST(X) \
    X(OK, 0, "success") \
    X(INVALID, 1, "invalid argument") \
    X(IMPOSSIBLE, 2, "no schedule can do what was asked") \
    X(NO_MEMORY, 3, "out of memory") \
    X(STATE, 4, "call out of order") \
    X(CORRUPT, 5, "bytes are damaged or not ours") \
    X(IO, 6, "input or output failed") \
    X(BUSY, 7, "another process is at work there") \
    X(SUSPENDED, 8, "suspended; run again to go on") \
    X(USER, 9, "a callback failed")

typedef enum verso_status {
#define VERSO_STATUS_ENUM(name, code, text) VERSO_##name = (code),
    VERSO_STATUS_LIST(VERSO_STATUS_ENUM)
#undef VERSO_STATUS_ENUM
} verso_status;

enum { VERSO_MESSAGE_MAX = 512 };

typedef struct verso_error {
    verso_status status;
    char message[VERSO_MESSAGE_MAX]; /* a whole sentence, NUL-terminated */
} verso_error;

/* "INVALID", "IMPOSSIBLE", …; "UNKNOWN" for a number that is none of ours. */
VERSO_API const char *verso_status_name(verso_status status);
/* The text of the list above. */
VERSO_API const char *verso_status_text(verso_status status);

#ifdef __cplusplus
}
#endif
#endif
