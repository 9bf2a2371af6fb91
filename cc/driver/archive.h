/* Reading archives (ar): members one after the other, with GNU, BSD and SysV names. In a thin archive a member's bytes
 * are in a file of their own. Archives come from anyone: every offset is checked before it is used. */
#ifndef CC_DRIVER_ARCHIVE_H
#define CC_DRIVER_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <verso/status.h>

typedef struct driver_archive {
    const unsigned char *bytes; /* borrowed */
    size_t size;
    bool thin;
    size_t next;            /* where the next header is */
    const char *long_names; /* GNU's table; NULL before it has been passed, or when there is none */
    size_t long_names_size;
} driver_archive;

typedef struct driver_member {
    const char *name; /* not NUL-terminated; of a thin archive: a path, relative to where the archive is */
    size_t name_size;
    const unsigned char *bytes; /* NULL in a thin archive */
    size_t size;
    size_t header; /* where its header is */
} driver_member;

bool driver_archive_is(const void *bytes, size_t size);
/* driver_archive_is must hold. */
void driver_archive_open(const void *bytes, size_t size, driver_archive *archive);
/* The next member that is a file: tables of symbols and of names are passed over. *more is false after the last.
 * VERSO_CORRUPT when it is damaged; `name` is for the message. */
verso_status driver_archive_next(driver_archive *archive, const char *name, driver_member *member, bool *more,
                                 verso_error *error);

/* The 16 bytes of a header that hold the name. */
enum { DRIVER_MEMBER_NAME = 16 };

#endif
