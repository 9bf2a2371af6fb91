/* Linking: a program that does not differentiate is linked as clang would; one that does is transformed on the way. */
#ifndef CC_DRIVER_LINK_H
#define CC_DRIVER_LINK_H

#include "cc/driver/arguments.h"
#include "cc/driver/places.h"
#include "cc/driver/session.h"
#include "cc/driver/trace.h"

/* Compiles what is still to be compiled, and links. Returns the exit status. */
int driver_link(driver_session *session, driver_arguments *arguments, const driver_places *places);

/* ---- link_line.c ---- */

typedef struct driver_link_line {
    bool trace;         /* the linker shall say what it links */
    bool library;       /* with libverso.a */
    const char *output; /* instead of the user's; NULL: the user's */
} driver_link_line;

/* The user's line for linking, with object files where there were sources. */
void driver_link_command(const driver_session *session, const driver_arguments *arguments, const driver_places *places,
                         const driver_link_line *line, driver_words *command);
void driver_link_begin(const driver_session *session, const driver_arguments *arguments, driver_words *command);
/* libverso.a and what it needs, whatever the user's words before it have told the linker. */
void driver_link_library(const driver_places *places, driver_words *command);

/* ---- relink.c ---- */

/* The line of the second link: `object` stands for every unit that has bitcode. False after a message. */
bool driver_relink_command(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                           const driver_trace *trace, const char *object, driver_words *command);

/* ---- transform.c ---- */

/* Hands the bitcode of all units to the transformer, which writes `object`. Returns the exit status. */
int driver_transform(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                     const driver_trace *trace, const char *object);

/* ---- rename.c ---- */

/* Puts a copy of the archive, in which no two members have the same name, in its place among the arguments. False after
 * a message. */
bool driver_rename_members(driver_session *session, driver_arguments *arguments, const driver_mapping *archive);

/* ---- scratch files ---- */

/* False after a message. */
bool driver_write_file(const driver_session *session, const char *path, const void *bytes, size_t size);

#endif
