/* Reading and writing files through a verso__system. Each function continues after interrupted and short system
 * calls, and either completes or fails with an error that names the file, the operation and, where possible, a
 * remedy. */
#ifndef VERSO_BASE_FILE_H
#define VERSO_BASE_FILE_H

#include "base/status.h"
#include "base/system.h"

#include <stddef.h>

/* Returns VERSO_STATUS_IO with the message "cannot WHAT 'PATH': REASON" made from errno, and adds a remedy if
 * errno suggests one (no space, no permission, missing directory). */
verso_status verso__file_error(verso_error *error, const char *what, const char *path);

/* An open file. `path` is kept for messages; the caller owns it and must keep it until the file is closed. */
typedef struct verso__file {
    const verso__system *system;
    const char *path;
    int handle; /* -1: not open */
} verso__file;

/* Opens a file with the given flags; a new file gets mode 0666 less the umask. */
verso_status verso__file_open(const verso__system *system, const char *path, int flags, verso__file *file,
                              verso_error *error);
/* Opens a file of a run directory. A new file gets mode 0600, because states may be confidential. Fails if
 * `path` is a symbolic link, a FIFO or anything else that is not a regular file. */
verso_status verso__file_open_own(const verso__system *system, const char *path, int flags, verso__file *file,
                                  verso_error *error);
/* Writes all bytes at the current position. */
verso_status verso__file_write(verso__file *file, const void *bytes, size_t size, verso_error *error);
/* Writes all bytes at `offset` and leaves the current position unchanged. */
verso_status verso__file_write_at(verso__file *file, const void *bytes, size_t size, uint64_t offset,
                                  verso_error *error);
/* Reads at the current position until `size` bytes are read or the file ends. Sets *got to the number of bytes
 * read. */
verso_status verso__file_read(verso__file *file, void *bytes, size_t size, size_t *got, verso_error *error);
/* Like verso__file_read, but reads at `offset` and leaves the current position unchanged. */
verso_status verso__file_read_at(verso__file *file, void *bytes, size_t size, uint64_t offset, size_t *got,
                                 verso_error *error);
/* Sets *size to the length of the file in bytes. */
verso_status verso__file_size(verso__file *file, uint64_t *size, verso_error *error);
/* Makes the contents of the file durable (fsync). */
verso_status verso__file_sync(verso__file *file, verso_error *error);
/* Closes the file. The handle is invalid afterwards, even if closing failed. No-op if the file is not open. */
verso_status verso__file_close(verso__file *file, verso_error *error);

/* Reads a whole file and appends a NUL, which *size does not count. The caller frees *bytes with
 * verso__dealloc; it is NULL after a failure. */
verso_status verso__file_whole(const verso__system *system, const char *path, char **bytes, size_t *size,
                               verso_error *error);

/* Reads a whole file of a run directory, which may be as large as a capsule; refuses what verso__file_open_own refuses.
 * The caller frees *bytes with verso__block_free(*bytes, *size); it is NULL after a failure. */
verso_status verso__file_block_own(const verso__system *system, const char *path, char **bytes, size_t *size,
                                   verso_error *error);

verso_status verso__file_rename(const verso__system *system, const char *from, const char *to, verso_error *error);
/* Removes a file. Succeeds if the file does not exist. */
verso_status verso__file_remove(const verso__system *system, const char *path, verso_error *error);

/* Makes the entries of the directory durable: names that were created, renamed or removed. */
verso_status verso__directory_sync(const verso__system *system, const char *path, verso_error *error);
/* Creates a directory. Succeeds if it exists already. If `durable` is true, also makes its entry in the parent
 * directory durable. */
verso_status verso__directory_make(const verso__system *system, const char *path, bool durable, verso_error *error);

/* Returns VERSO_STATUS_IO if `path` is a symbolic link or anything else that is not a directory. Succeeds if
 * nothing exists there. */
verso_status verso__directory_refuse_link(const verso__system *system, const char *path, verso_error *error);

/* Returns "DIRECTORY/NAME", or NULL if there is no memory. The caller frees it with verso__dealloc. */
char *verso__path_join(const char *directory, const char *name);
/* Returns the absolute path, which stays valid if the working directory changes (`path` itself if the working
 * directory cannot be found). Allocated and NULL as above. */
char *verso__path_absolute(const char *path);
/* Returns the path of the directory that contains `path`. Allocated and NULL as above. */
char *verso__path_parent(const char *path);

#endif
