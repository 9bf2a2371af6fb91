/* A verso__system that uses the machine's files and fails at calls that a test chooses.
 *
 *     faulty_system faulty;
 *     faulty_system_init(&faulty, NULL);
 *     faulty_system_fail(&faulty, n, FAULT_ERROR, ENOSPC);
 *     verso__system_replace(&faulty.system);
 *     …                                   the code under test
 *     assert_int_equal(faulty.open_files, 0);
 *     faulty_system_free(&faulty);
 *
 * Calls are counted from 1; run once without a fault to find out how many there are. Any thread may call it.
 *
 * A crash simulates the death of the process: all later calls do nothing and fail with EIO, except that close closes,
 * so that the test itself leaks no descriptors. Use the files with another system to see what the next process would
 * find. With a folder for lost files (`aside`), a crash can be one of the whole machine: faulty_system_lose_unsynced
 * undoes everything that was not synced, as pessimistically as POSIX allows. Bytes appended since the last sync of
 * their file are lost, and names created, renamed or removed since the last sync of their directory are restored. */
#ifndef VERSO_TESTS_FAULTY_SYSTEM_H
#define VERSO_TESTS_FAULTY_SYSTEM_H

#include "base/system.h"

#include <pthread.h>
#include <stddef.h>

typedef enum fault {
    FAULT_NONE,
    FAULT_ERROR, /* the call does nothing and fails with `code` (close closes nevertheless) */
    FAULT_FROM,  /* like FAULT_ERROR, for this call and all later ones that need space or the device */
    FAULT_SHORT, /* a read or write transfers half of its bytes (other calls succeed); later calls succeed */
    FAULT_CRASH, /* the call succeeds, then the process crashes */
    FAULT_TEAR,  /* a write transfers half of its bytes (other calls succeed), then the process crashes */
} fault;

typedef enum faulty_call {
    CALL_OPEN,
    CALL_READ,
    CALL_WRITE,
    CALL_READ_AT,
    CALL_WRITE_AT,
    CALL_SYNC,
    CALL_CLOSE,
    CALL_SIZE,
    CALL_TRUNCATE,
    CALL_LOCK,
    CALL_RENAME,
    CALL_REMOVE,
    CALL_MAKE_DIRECTORY,
    CALL_REMOVE_DIRECTORY,
    CALL_LIST,
    CALL_COUNT
} faulty_call;

enum { FAULTY_FILES_MAX = 64 };

struct faulty_undo; /* a change that a loss of power would undo */

typedef struct faulty_system {
    verso__system system; /* pass this to the code under test */

    /* Read these only while no other thread makes calls. */
    uint64_t calls;          /* number of calls so far */
    uint64_t of[CALL_COUNT]; /* number of calls by kind */
    int open_files;          /* files that are open */
    bool crashed;            /* the process has crashed */
    bool struck;             /* the fault has happened */

    /* Private. */
    pthread_mutex_t mutex;
    fault kind;               /* the fault */
    uint64_t at;              /* number of the call at which it happens */
    int code;                 /* its errno */
    const char *aside;        /* folder of lost files; NULL: none */
    struct faulty_undo *undo; /* unsynced changes, newest first */
    uint64_t asides;          /* number of files put aside, for their names */
    struct faulty_file {
        int handle; /* descriptor; -1: this entry is free */
        char *path;
    } files[FAULTY_FILES_MAX]; /* the open files */
} faulty_system;

/* `aside` is an existing, empty folder on the same file system; NULL: faulty_system_lose_unsynced cannot be used. */
void faulty_system_init(faulty_system *faulty, const char *aside);
void faulty_system_free(faulty_system *faulty);

/* Makes the n-th call from now on fail; n = 0: none. Resets the counts and `crashed`. */
void faulty_system_fail(faulty_system *faulty, uint64_t n, fault kind, int code);

/* Simulates a loss of power after a crash. Everything that used the system must be closed. */
void faulty_system_lose_unsynced(faulty_system *faulty);

#endif
