/* What a linker says it has linked (--trace): the units of a program. */
#ifndef CC_DRIVER_TRACE_H
#define CC_DRIVER_TRACE_H

#include "cc/driver/arguments.h"
#include "cc/driver/session.h"
#include "cc/driver/unit.h"

typedef struct driver_trace {
    driver_unit *units; /* in the order of linking; those of libverso.a are left out */
    size_t count;
    size_t capacity;
    driver_words shared; /* paths of shared libraries */
    driver_words other;  /* lines that say something else */
    /* An archive with several members of one name, of which only some were linked: nobody can tell which. NULL: none */
    const driver_mapping *ambiguous;
} driver_trace;

/* `text` is what the linker printed; `library` the path of libverso.a, NULL when there is none. Labels of units are
 * those of the sources that `arguments` were compiled from, if they were. */
verso_status driver_trace_read(driver_session *session, const driver_arguments *arguments, const char *library,
                               driver_bytes text, driver_trace *trace, verso_error *error);
void driver_trace_free(driver_trace *trace);

bool driver_trace_differentiates(const driver_trace *trace);
bool driver_trace_uses_library(const driver_trace *trace);

/* The file of a thin archive's member. */
const char *driver_thin_path(driver_words *kept, const char *archive, const char *name, size_t name_size);

#endif
