/* Files as a whole: every byte written or an error that says which file, what failed and what to do. Interrupted and
 * short calls are continued. All through a verso_system. */
#ifndef VERSO_BASE_FILE_H
#define VERSO_BASE_FILE_H

#include "base/status.h"
#include "base/system.h"

#include <stddef.h>

/* VERSO_IO with "cannot WHAT PATH: reason", and a remedy where errno suggests one (no space, not permitted, not there).
 */
verso_status verso_file_error(verso_error *error, const char *what, const char *path);

/* Open files remember where they are for messages: `path` is borrowed. */
typedef struct verso_file {
    const verso_system *system;
    const char *path;
    int handle; /* -1: not open */
} verso_file;

verso_status verso_file_open(const verso_system *system, const char *path, int flags, verso_file *file,
                             verso_error *error);
verso_status verso_file_write(verso_file *file, const void *bytes, size_t size, verso_error *error);
/* Writes where the file has bytes already; where the next plain write goes stays as it is. */
verso_status verso_file_write_at(verso_file *file, const void *bytes, size_t size, uint64_t offset, verso_error *error);
/* Reads until `size` bytes are there or the file ends; *got says how many. */
verso_status verso_file_read(verso_file *file, void *bytes, size_t size, size_t *got, verso_error *error);
/* The same from a place in it; where the next plain read begins stays as it is. */
verso_status verso_file_read_at(verso_file *file, void *bytes, size_t size, uint64_t offset, size_t *got,
                                verso_error *error);
verso_status verso_file_size(verso_file *file, uint64_t *size, verso_error *error);
verso_status verso_file_sync(verso_file *file, verso_error *error);
/* The handle is gone also after an error. Closing one that is not open is nothing. */
verso_status verso_file_close(verso_file *file, verso_error *error);

/* A whole file, a NUL behind it. Allocated (verso_dealloc); NULL after a failure. */
verso_status verso_file_whole(const verso_system *system, const char *path, char **bytes, size_t *size,
                              verso_error *error);

verso_status verso_file_rename(const verso_system *system, const char *from, const char *to, verso_error *error);
/* It is nothing that it is not there. */
verso_status verso_file_remove(const verso_system *system, const char *path, verso_error *error);

/* Makes entries of the directory (names made, renamed, removed) durable. */
verso_status verso_directory_sync(const verso_system *system, const char *path, verso_error *error);
/* It is nothing that it is there already. The new entry is made durable when `durable`. */
verso_status verso_directory_make(const verso_system *system, const char *path, bool durable, verso_error *error);

/* "DIRECTORY/NAME", allocated; NULL when there is no memory. Freed with verso_dealloc. */
char *verso_path_join(const char *directory, const char *name);
/* The same place, whatever the working directory becomes. Allocated, NULL likewise. */
char *verso_path_absolute(const char *path);
/* The directory that `path` is an entry of, likewise. */
char *verso_path_parent(const char *path);

#endif
