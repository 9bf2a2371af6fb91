/* Links programs. A program that does not differentiate is linked as clang would link it; one that does is transformed
 * and linked again (link.c describes the steps). */
#ifndef CC_DRIVER_LINK_H
#define CC_DRIVER_LINK_H

#include "cc/driver/arguments.h"
#include "cc/driver/places.h"
#include "cc/driver/session.h"
#include "cc/driver/trace.h"

/* Compiles the sources among the inputs, and links. Returns the exit status. */
int driver_link(driver_session *session, driver_arguments *arguments, const driver_places *places);

/* ---- link_line.c ---- */

typedef struct driver_link_line {
    bool trace;         /* ask the linker to list the files that it links */
    bool library;       /* link with libverso.a */
    const char *output; /* output file; NULL: that of the user's command line */
} driver_link_line;

/* Appends the user's link command to `command`, with object files in place of sources. */
void driver_link_command(const driver_session *session, const driver_arguments *arguments, const driver_places *places,
                         const driver_link_line *line, driver_words *command);
/* Appends the beginning of a link command: clang and its first options. */
void driver_link_begin(const driver_session *session, const driver_arguments *arguments, driver_words *command);
/* Appends libverso.a and the libraries that it needs, independently of the linker state that the user's options have
 * set (--whole-archive, ...). */
void driver_link_library(const driver_places *places, driver_words *command);
/* Appends options for a shared library that differentiates: it uses its own definitions of all its symbols, and has the
 * functions with which the process that loads it differentiates, and chooses how. */
void driver_link_shared(driver_words *command);

/* ---- relink.c ---- */

/* Makes the command of the second link, in which `object` replaces all units that have bitcode. Returns false after
 * printing a message. */
bool driver_relink_command(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                           const driver_trace *trace, const char *object, driver_words *command);

/* ---- transform.c ---- */

/* Runs the transformer on the bitcode of all units; it writes the file `object`. Returns the exit status. */
int driver_transform(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                     const driver_trace *trace, const char *object);

/* ---- rename.c ---- */

/* Makes a copy of the archive in which all members have different names, and replaces the archive by it in `arguments`.
 * Returns false after printing a message. */
bool driver_rename_members(driver_session *session, driver_arguments *arguments, const driver_mapping *archive);

/* ---- adjoints.c ---- */

/* Adds members of archives that contain adjoints of the program's functions, and that the linker did not take, to
 * `arguments`. *taken: there were any. Returns false after printing a message. */
bool driver_take_adjoints(driver_session *session, driver_arguments *arguments, const driver_trace *trace, bool *taken);

/* ---- scratch files ---- */

/* Writes a whole file. Returns false after printing a message. */
bool driver_write_file(const driver_session *session, const char *path, const void *bytes, size_t size);

#endif
