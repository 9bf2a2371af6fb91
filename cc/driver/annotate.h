/* Edits the LLVM IR that flang has written: adds annotations for directives and options, as clang makes them of the
 * macros of <verso/native.h>, the name of the source, and the attribute "verso-level" (cc/lower/strip.c). */
#ifndef CC_DRIVER_ANNOTATE_H
#define CC_DRIVER_ANNOTATE_H

#include "cc/driver/arguments.h"
#include "cc/driver/directives.h"
#include "cc/driver/session.h"

/* Writes the IR in file `from`, which flang made of `source`, to file `to` with annotations. Returns false after
 * printing a message: a directive names a procedure that the file neither contains nor calls, or a file cannot be
 * written. */
bool driver_annotate(driver_session *session, const driver_arguments *arguments, const driver_directives *directives,
                     const char *source, const char *from, const char *to);

#endif
