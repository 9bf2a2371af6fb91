/* Reads archives (ar) member by member, with GNU, BSD and SysV names. The members of a thin archive are separate files;
 * the archive contains only their paths. Archives are untrusted input: every offset is checked before it is used. */
#ifndef CC_DRIVER_ARCHIVE_H
#define CC_DRIVER_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <verso/status.h>

typedef struct driver_archive {
    const unsigned char *bytes; /* the whole file; owned by the caller */
    size_t size;                /* in bytes */
    bool thin;                  /* it is a thin archive */
    size_t next;                /* offset of the next header */
    const char *long_names;     /* GNU's table of long names; NULL if it was not read yet or does not exist */
    size_t long_names_size;     /* in bytes */
} driver_archive;

typedef struct driver_member {
    const char *name; /* not NUL-terminated. In a thin archive: a path, relative to the archive's folder */
    size_t name_size;
    const unsigned char *bytes; /* content; NULL in a thin archive */
    size_t size;                /* of the content, in bytes */
    size_t header;              /* offset of its header */
} driver_member;

/* Returns true if the bytes begin like an archive. */
bool driver_is_archive(const void *bytes, size_t size);
/* Begins to read an archive. driver_is_archive must be true. */
void driver_archive_open(const void *bytes, size_t size, driver_archive *archive);
/* Reads the next member that is a file, and skips tables of symbols and of names. Sets *more to false after the last.
 * Fails with VERSO_STATUS_CORRUPT if the archive is damaged; `name` is its name for the message. */
verso_status driver_archive_next(driver_archive *archive, const char *name, driver_member *member, bool *more,
                                 verso_error *error);

/* Size of the name field in a member's header, in bytes. */
enum { DRIVER_MEMBER_NAME = 16 };

#endif
