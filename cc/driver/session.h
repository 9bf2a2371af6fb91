/* What all of the driver's parts share while one command line is carried out. */
#ifndef CC_DRIVER_SESSION_H
#define CC_DRIVER_SESSION_H

#include "cc/driver/mapping.h"
#include "cc/driver/words.h"

#include <signal.h>
#include <stdbool.h>

/* The exit status of what failed here, and not in clang. */
enum { DRIVER_OK = 0, DRIVER_FAILED = 1, DRIVER_USAGE = 2 };

typedef struct driver_session {
    bool cpp;
    const char *clang;     /* the compiler to run */
    bool show;             /* print commands before they are run */
    bool keep;             /* the scratch folder stays */
    driver_words kept;     /* strings that live as long as the session */
    driver_mappings files; /* likewise */
    const char *scratch;   /* a folder of our own; NULL: not needed yet */
    sigset_t signals;      /* what was blocked before there was a scratch folder to remove */
    bool pipe_signal;      /* a write to nobody ended us before that, and ends what we run */
    int interrupted;       /* a signal that asked us to end; 0: none */
} driver_session;

void driver_session_open(driver_session *session, bool cpp);
/* Removes the scratch folder. When a signal interrupted the session it now has its effect. */
void driver_session_close(driver_session *session);

/* "verso cc: error: ..." on standard error; returns DRIVER_FAILED. */
__attribute__((format(printf, 2, 3))) int driver_error(const driver_session *session, const char *format, ...);
__attribute__((format(printf, 2, 3))) void driver_note(const driver_session *session, const char *format, ...);

/* A name in the scratch folder, which is made when it is first asked for; NULL after a message. */
const char *driver_scratch(driver_session *session, const char *name);

#endif
