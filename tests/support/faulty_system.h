/* A verso_system that works on the machine's files and fails where a test wants it to.
 *
 *     faulty_system faulty;
 *     faulty_system_init(&faulty, NULL);
 *     faulty_system_fail(&faulty, n, FAULT_ERROR, ENOSPC);
 *     options.system = &faulty.system;
 *     …                                   what is tested
 *     assert_int_equal(faulty.open_files, 0);
 *     faulty_system_free(&faulty);
 *
 * Calls are counted from 1; run once without a fault to learn how many there are. Any thread may call it.
 *
 * A crash is the end of the process as the files see it: calls after it do nothing and fail with EIO (a close still
 * closes, so that the test itself leaks nothing). Reopen with another system to see what the next process would find.
 * With a folder for lost files (`aside`) a crash can be one of the whole machine: faulty_system_lose_unsynced undoes
 * what was never synced, as pessimistically as POSIX allows: bytes appended since the last sync of their file are gone,
 * and names made, changed or removed since the last sync of their directory are as they were. */
#ifndef VERSO_TESTS_FAULTY_SYSTEM_H
#define VERSO_TESTS_FAULTY_SYSTEM_H

#include "base/system.h"

#include <pthread.h>
#include <stddef.h>

typedef enum fault {
    FAULT_NONE,
    FAULT_ERROR, /* that call does nothing and fails with `code`; close closes all the same */
    FAULT_FROM,  /* that call and all after it of the kinds that need space or the device: as FAULT_ERROR */
    FAULT_SHORT, /* a read or a write does half of it (others: all); later calls are sound */
    FAULT_CRASH, /* that call is done, and is the last */
    FAULT_TEAR,  /* a write does half of it, other calls all; and it is the last */
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

struct faulty_undo; /* what losing would undo */

typedef struct faulty_system {
    verso_system system; /* what is handed out */

    /* Read these when no other thread is calling. */
    uint64_t calls;          /* so far, in all */
    uint64_t of[CALL_COUNT]; /* and of each */
    int open_files;          /* opened and not closed */
    bool crashed;
    bool struck; /* the fault has happened */

    /* Inside. */
    pthread_mutex_t mutex;
    fault kind;
    uint64_t at; /* the call that it strikes */
    int code;
    const char *aside;
    struct faulty_undo *undo; /* newest first */
    uint64_t asides;
    struct faulty_file {
        int handle; /* -1: this place is free */
        char *path;
    } files[FAULTY_FILES_MAX];
} faulty_system;

/* `aside`: a folder on the same file system that exists and holds nothing else, or NULL: nothing can be lost. */
void faulty_system_init(faulty_system *faulty, const char *aside);
void faulty_system_free(faulty_system *faulty);

/* The n-th call from now on; n = 0: none. Starts counting anew, and forgets a crash. */
void faulty_system_fail(faulty_system *faulty, uint64_t n, fault kind, int code);

/* After a crash, and after everything that used the system is closed: power was lost, too. */
void faulty_system_lose_unsynced(faulty_system *faulty);

#endif
