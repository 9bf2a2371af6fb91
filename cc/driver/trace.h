/* Reads the trace of a linker (--trace), which lists the files that it linked: the units of a program. */
#ifndef CC_DRIVER_TRACE_H
#define CC_DRIVER_TRACE_H

#include "cc/driver/arguments.h"
#include "cc/driver/session.h"
#include "cc/driver/unit.h"

typedef struct driver_trace {
    driver_unit *units;  /* in the order of linking, without those of libverso.a */
    size_t count;        /* number of units */
    size_t capacity;     /* room in `units` */
    driver_words shared; /* paths of shared libraries */
    driver_words other;  /* lines that are not part of the trace */
    /* An archive that has several members of the same name, only some of which were linked, so that it is unknown
     * which. NULL: there is none. */
    const driver_mapping *ambiguous;
} driver_trace;

/* Reads the linker's output `text`. `library` is the path of libverso.a; NULL: there is none. `arguments` are the
 * link's; units that the driver has compiled are labelled by their sources. */
verso_status driver_trace_read(driver_session *session, const driver_arguments *arguments, const char *library,
                               driver_bytes text, driver_trace *trace, verso_error *error);
void driver_trace_free(driver_trace *trace);

/* Returns true if a unit differentiates, or if one needs libverso.a (see unit.h). */
bool driver_trace_differentiates(const driver_trace *trace);
bool driver_trace_uses_library(const driver_trace *trace);

/* Returns the path of a thin archive's member. The string is kept in `kept`. */
const char *driver_thin_path(driver_words *kept, const char *archive, const char *name, size_t name_size);

#endif
