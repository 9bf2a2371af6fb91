/* The system calls that stores and journals make, in one table, so that a test can make the n-th one fail, be short, or
 * be the last before a crash. Each does what the call of its name does and sets errno as that does. */
#ifndef VERSO_BASE_SYSTEM_H
#define VERSO_BASE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct verso_system verso_system;
struct verso_system {
    void *context;                                                                     /* the tests' */
    int (*open)(const verso_system *system, const char *path, int flags, mode_t mode); /* O_CLOEXEC is added */
    ssize_t (*read)(const verso_system *system, int file, void *bytes, size_t size);
    ssize_t (*write)(const verso_system *system, int file, const void *bytes, size_t size);
    ssize_t (*read_at)(const verso_system *system, int file, void *bytes, size_t size, off_t offset);
    ssize_t (*write_at)(const verso_system *system, int file, const void *bytes, size_t size, off_t offset);
    int (*sync)(const verso_system *system, int file);
    int (*close)(const verso_system *system, int file);
    int (*size)(const verso_system *system, int file, off_t *size);
    int (*truncate)(const verso_system *system, int file, off_t size);
    int (*lock)(const verso_system *system, int file); /* exclusively, without waiting; EWOULDBLOCK: another has it */
    int (*rename)(const verso_system *system, const char *from, const char *to);
    int (*remove)(const verso_system *system, const char *path);           /* a file */
    int (*make_directory)(const verso_system *system, const char *path);   /* mode 0777, less the umask */
    int (*remove_directory)(const verso_system *system, const char *path); /* when it is empty */
    /* Calls `visit` with each name in the directory but "." and "..", in any order, until it returns false. */
    int (*list)(const verso_system *system, const char *path, bool (*visit)(void *context, const char *name),
                void *context);
};

/* The machine's own. */
extern const verso_system verso_system_machine;

/* Bytes of memory that the machine has; 0: it does not say. */
uint64_t verso_machine_memory(void);

/* Seconds on a clock that never goes backwards, and since 1970. */
double verso_now(void);
/* That the processor has worked for this thread, in the program and in the system. Some hundred nanoseconds a call. */
double verso_thread_seconds(void);
double verso_date(void);

#endif
