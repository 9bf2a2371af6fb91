/* The system calls of stores and journals in one table, so that a test can make the n-th call fail, transfer
 * fewer bytes, or be the last one before a crash. Each function behaves as the system call of its name and sets
 * errno likewise. */
#ifndef VERSO_BASE_SYSTEM_H
#define VERSO_BASE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct verso__system verso__system;
struct verso__system {
    void *context; /* for tests; the machine's functions ignore it */
    /* Adds O_CLOEXEC. With O_NOFOLLOW, fails with ENXIO if the path is not a regular file; with O_NOFOLLOW and
     * O_DIRECTORY, fails with ENOTDIR or ELOOP if it is not a directory. */
    int (*open)(const verso__system *system, const char *path, int flags, mode_t mode);
    ssize_t (*read)(const verso__system *system, int file, void *bytes, size_t size);
    ssize_t (*write)(const verso__system *system, int file, const void *bytes, size_t size);
    ssize_t (*read_at)(const verso__system *system, int file, void *bytes, size_t size, off_t offset);
    ssize_t (*write_at)(const verso__system *system, int file, const void *bytes, size_t size, off_t offset);
    int (*sync)(const verso__system *system, int file);
    int (*close)(const verso__system *system, int file);
    int (*size)(const verso__system *system, int file, off_t *size);
    int (*truncate)(const verso__system *system, int file, off_t size);
    /* exclusive, does not wait; EWOULDBLOCK: another process holds it */
    int (*lock)(const verso__system *system, int file);
    int (*rename)(const verso__system *system, const char *from, const char *to);
    int (*remove)(const verso__system *system, const char *path);           /* removes a file */
    int (*make_directory)(const verso__system *system, const char *path);   /* with mode 0700 */
    int (*remove_directory)(const verso__system *system, const char *path); /* fails unless it is empty */
    /* Calls `visit` with each name in the directory except "." and "..", in any order, until `visit` returns
     * false. */
    int (*list)(const verso__system *system, const char *path, bool (*visit)(void *context, const char *name),
                void *context);
};

/* The table of the operating system's own functions. */
extern const verso__system verso__system_machine;
/* Returns the table that stores, runs and recordings which this thread begins use: the machine's, unless a test has
 * replaced it. */
const verso__system *verso__system_current(void);
/* Replaces it for this thread, for tests; NULL: the machine's again. `system` must outlive its use. */
void verso__system_replace(const verso__system *system);

/* Returns the size of the machine's memory in bytes; 0 if it is unknown. */
uint64_t verso__machine_memory(void);

/* Returns seconds on a monotonic clock. */
double verso__now(void);
/* Returns the seconds of processor time that this thread has used, in user and system mode. A call takes some
 * hundred nanoseconds. */
double verso__thread_seconds(void);
/* Returns seconds since 1970. */
double verso__date(void);

#endif
