/* The operating system's own calls, and the clocks. */
/* flock is not in POSIX. It is used because its lock ends with its holder and also excludes two runs of one
 * process, which POSIX locks do not. */
#define _DEFAULT_SOURCE 1
#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int machine_open(const verso__system *system, const char *path, int flags, mode_t mode) {
    (void)system;
    if ((flags & O_NOFOLLOW) == 0 || (flags & O_DIRECTORY) != 0)
        return open(path, flags | O_CLOEXEC, mode);
    struct stat facts;
    /* without O_NONBLOCK, opening a FIFO waits for its other end */
    int file = open(path, flags | O_CLOEXEC | O_NONBLOCK, mode);
    if (file < 0 || (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)))
        return file;
    close(file);
    errno = ENXIO;
    return -1;
}

static ssize_t machine_read(const verso__system *system, int file, void *bytes, size_t size) {
    (void)system;
    return read(file, bytes, size);
}

static ssize_t machine_write(const verso__system *system, int file, const void *bytes, size_t size) {
    (void)system;
    return write(file, bytes, size);
}

static ssize_t machine_read_at(const verso__system *system, int file, void *bytes, size_t size, off_t offset) {
    (void)system;
    return pread(file, bytes, size, offset);
}

static ssize_t machine_write_at(const verso__system *system, int file, const void *bytes, size_t size, off_t offset) {
    (void)system;
    return pwrite(file, bytes, size, offset);
}

static int machine_sync(const verso__system *system, int file) {
    (void)system;
    return fsync(file);
}

static int machine_close(const verso__system *system, int file) {
    (void)system;
    return close(file);
}

static int machine_size(const verso__system *system, int file, off_t *size) {
    (void)system;
    struct stat facts;
    if (fstat(file, &facts) != 0)
        return -1;
    *size = facts.st_size;
    return 0;
}

static int machine_truncate(const verso__system *system, int file, off_t size) {
    (void)system;
    return ftruncate(file, size);
}

static int machine_lock(const verso__system *system, int file) {
    (void)system;
    return flock(file, LOCK_EX | LOCK_NB);
}

static int machine_rename(const verso__system *system, const char *from, const char *to) {
    (void)system;
    return rename(from, to);
}

static int machine_remove(const verso__system *system, const char *path) {
    (void)system;
    return unlink(path);
}

static int machine_make_directory(const verso__system *system, const char *path) {
    (void)system;
    return mkdir(path, 0700);
}

static int machine_remove_directory(const verso__system *system, const char *path) {
    (void)system;
    return rmdir(path);
}

static int machine_list(const verso__system *system, const char *path, bool (*visit)(void *context, const char *name),
                        void *context) {
    (void)system;
    DIR *directory = opendir(path);
    if (directory == NULL)
        return -1;
    const struct dirent *entry;
    bool more = true;
    errno = 0;
    while (more && (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            more = visit(context, entry->d_name);
        errno = 0;
    }
    int failure = more ? errno : 0;
    closedir(directory);
    errno = failure;
    return failure == 0 ? 0 : -1;
}

const verso__system verso__system_machine = {
    .open = machine_open,
    .read = machine_read,
    .write = machine_write,
    .read_at = machine_read_at,
    .write_at = machine_write_at,
    .sync = machine_sync,
    .close = machine_close,
    .size = machine_size,
    .truncate = machine_truncate,
    .lock = machine_lock,
    .rename = machine_rename,
    .remove = machine_remove,
    .make_directory = machine_make_directory,
    .remove_directory = machine_remove_directory,
    .list = machine_list,
};

uint64_t verso__machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time); /* cannot fail for the clocks of POSIX */
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double verso__now(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

double verso__thread_seconds(void) {
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double verso__date(void) {
    return seconds_of(CLOCK_REALTIME);
}

static _Thread_local const verso__system *replaced;

const verso__system *verso__system_current(void) {
    return replaced != NULL ? replaced : &verso__system_machine;
}

void verso__system_replace(const verso__system *system) {
    replaced = system;
}
