/* The state of the driver while it executes one command line, and its messages and scratch files. */
#ifndef CC_DRIVER_SESSION_H
#define CC_DRIVER_SESSION_H

#include "cc/driver/mapping.h"
#include "cc/driver/words.h"

#include <signal.h>
#include <stdbool.h>

/* Exit statuses of the driver itself. */
enum { DRIVER_OK = 0, DRIVER_FAILED = 1, DRIVER_USAGE = 2 };

/* Which command the session executes: `verso cc`, `verso c++` or `verso fc`. */
typedef enum driver_language { DRIVER_C, DRIVER_CPP, DRIVER_FORTRAN } driver_language;

typedef struct driver_session {
    driver_language language;
    const char *clang;     /* path or name of the compiler */
    bool chosen;           /* the environment names the compiler */
    bool show;             /* print commands before they are run */
    bool keep;             /* do not remove the scratch folder */
    driver_words kept;     /* strings that live as long as the session */
    driver_mappings files; /* mapped files that live as long as the session */
    const char *scratch;   /* path of the scratch folder; NULL: not created yet */
    sigset_t signals;      /* signal mask before the scratch folder was created */
    bool pipe_signal;      /* SIGPIPE was not ignored before the scratch folder was created */
    int interrupted;       /* signal that asked the driver to end; 0: none */
} driver_session;

void driver_session_open(driver_session *session, driver_language language);
/* Returns the name of the subcommand: "cc", "c++" or "fc". */
const char *driver_session_name(const driver_session *session);
/* Removes the scratch folder and frees the session. If a signal interrupted the session, ends the process by it. */
void driver_session_close(driver_session *session);

/* Prints "verso cc: error: ..." (or c++, fc) to standard error; returns DRIVER_FAILED. */
__attribute__((format(printf, 2, 3))) int driver_error(const driver_session *session, const char *format, ...);
/* Prints "verso cc: note: ..." to standard error. */
__attribute__((format(printf, 2, 3))) void driver_note(const driver_session *session, const char *format, ...);

/* Returns the path of a file in the scratch folder, which is created at the first call; NULL after printing a
 * message. */
const char *driver_scratch(driver_session *session, const char *name);

#endif
