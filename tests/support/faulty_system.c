/* Implements faulty_system.h. One mutex protects every call, which is slow but simple. */
#include "tests/support/faulty_system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Changes that a loss of power would undo ---- */

typedef enum undo_kind { UNDO_BYTES, UNDO_NAME, UNDO_RENAME, UNDO_REMOVE } undo_kind;

typedef struct faulty_undo undo;
struct faulty_undo {
    undo *next;
    undo_kind kind;
    char *path;  /* path of the file that has unsynced bytes or was created or removed; after a rename, the new name */
    char *from;  /* old name, for a rename */
    char *aside; /* path of the file that was replaced or removed; NULL: none */
    off_t size;  /* size of the file at its last sync */
};

static void *must(void *block) {
    if (block == NULL)
        abort(); /* without memory the test has no result */
    return block;
}

static char *copy_of(const char *text) {
    return text == NULL ? NULL : strcpy(must(malloc(strlen(text) + 1)), text);
}

static void free_undo(undo *one) {
    free(one->path);
    free(one->from);
    free(one->aside);
    free(one);
}

static undo *note(faulty_system *faulty, undo_kind kind, const char *path) {
    undo *one = must(calloc(1, sizeof *one));
    one->kind = kind;
    one->path = copy_of(path);
    one->next = faulty->undo;
    faulty->undo = one;
    return one;
}

static undo *find_bytes(faulty_system *faulty, const char *path) {
    undo *one = faulty->undo;
    while (one != NULL && (one->kind != UNDO_BYTES || strcmp(one->path, path) != 0))
        one = one->next;
    return one;
}

static bool in_directory(const char *path, const char *directory) {
    size_t size = strlen(directory);
    while (size > 1 && directory[size - 1] == '/')
        size--;
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return strcmp(directory, ".") == 0;
    return (size_t)(slash - path) == size && memcmp(path, directory, size) == 0;
}

/* Forgets the changes that a sync of the file or directory at `path` makes permanent. */
static void forget_synced(faulty_system *faulty, const char *path) {
    for (undo **at = &faulty->undo; *at != NULL;) {
        undo *one = *at;
        bool synced = one->kind == UNDO_BYTES ? strcmp(one->path, path) == 0 : in_directory(one->path, path);
        if (!synced) {
            at = &one->next;
            continue;
        }
        if (one->aside != NULL)
            (void)unlink(one->aside);
        *at = one->next;
        free_undo(one);
    }
}

static char *next_aside(faulty_system *faulty) {
    size_t room = strlen(faulty->aside) + 32;
    char *path = must(malloc(room));
    (void)snprintf(path, room, "%s/%llu", faulty->aside, (unsigned long long)faulty->asides++);
    return path;
}

/* Makes a second link to a file that is about to be removed or replaced. */
static char *put_aside(faulty_system *faulty, const char *path) {
    char *aside = next_aside(faulty);
    if (link(path, aside) == 0)
        return aside;
    free(aside);
    return NULL;
}

static void undo_one(const undo *one) {
    switch (one->kind) {
    case UNDO_BYTES: (void)!truncate(one->path, one->size); break;
    case UNDO_NAME: (void)unlink(one->path); break;
    case UNDO_RENAME: (void)rename(one->path, one->from); /* fall through */
    case UNDO_REMOVE:
        if (one->aside != NULL)
            (void)rename(one->aside, one->path);
        break;
    }
}

void faulty_system_lose_unsynced(faulty_system *faulty) {
    while (faulty->undo != NULL) {
        undo *one = faulty->undo;
        undo_one(one);
        faulty->undo = one->next;
        free_undo(one);
    }
}

/* ---- Open files ---- */

static const char *path_of(const faulty_system *faulty, int handle) {
    for (size_t i = 0; i < FAULTY_FILES_MAX; i++)
        if (faulty->files[i].handle == handle)
            return faulty->files[i].path;
    return "";
}

static void opened(faulty_system *faulty, int handle, const char *path) {
    size_t i = 0;
    while (i < FAULTY_FILES_MAX && faulty->files[i].handle >= 0)
        i++;
    if (i == FAULTY_FILES_MAX)
        abort(); /* no test opens so many files: there is a leak */
    faulty->files[i].handle = handle;
    faulty->files[i].path = copy_of(path);
    faulty->open_files++;
}

static void closed(faulty_system *faulty, int handle) {
    for (size_t i = 0; i < FAULTY_FILES_MAX; i++)
        if (faulty->files[i].handle == handle) {
            faulty->files[i].handle = -1;
            free(faulty->files[i].path);
            faulty->files[i].path = NULL;
            faulty->open_files--;
        }
}

/* Called before the bytes of a file change. */
static void note_bytes(faulty_system *faulty, int handle) {
    const char *path = path_of(faulty, handle);
    struct stat facts;
    if (faulty->aside != NULL && find_bytes(faulty, path) == NULL && fstat(handle, &facts) == 0)
        note(faulty, UNDO_BYTES, path)->size = facts.st_size;
}

/* ---- Faults ---- */

typedef enum verdict { SOUND, FAILS, HALF } verdict;

static bool needs_device(faulty_call call) {
    return call != CALL_CLOSE && call != CALL_SIZE && call != CALL_LOCK && call != CALL_REMOVE;
}

/* Begins a call: takes the mutex, which the end of the call releases. */
static verdict enter(faulty_system *faulty, faulty_call call) {
    pthread_mutex_lock(&faulty->mutex);
    if (faulty->crashed) {
        errno = EIO;
        return FAILS;
    }
    faulty->calls++;
    faulty->of[call]++;
    bool now = faulty->at != 0 && faulty->calls == faulty->at;
    if (faulty->kind == FAULT_FROM)
        now = faulty->at != 0 && faulty->calls >= faulty->at && (needs_device(call) || faulty->calls == faulty->at);
    if (!now)
        return SOUND;
    faulty->struck = true;
    if (faulty->kind == FAULT_CRASH || faulty->kind == FAULT_TEAR)
        faulty->crashed = true; /* this call is still executed */
    if (faulty->kind == FAULT_SHORT || faulty->kind == FAULT_TEAR)
        return HALF;
    errno = faulty->code;
    return faulty->kind == FAULT_ERROR || faulty->kind == FAULT_FROM ? FAILS : SOUND;
}

static void leave(faulty_system *faulty) {
    int code = errno;
    pthread_mutex_unlock(&faulty->mutex);
    errno = code;
}

static size_t part(verdict verdict, size_t size) {
    return verdict == HALF && size > 1 ? size / 2 : size;
}

/* ---- The calls ---- */

static const verso__system *const machine = &verso__system_machine;

static int faulty_open(const verso__system *system, const char *path, int flags, mode_t mode) {
    faulty_system *faulty = system->context;
    int handle = -1;
    if (enter(faulty, CALL_OPEN) != FAILS) {
        bool new = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
        handle = machine->open(machine, path, flags & ~O_TRUNC, mode);
        if (handle >= 0)
            opened(faulty, handle, path);
        if (handle >= 0 && new && faulty->aside != NULL)
            note(faulty, UNDO_NAME, path);
        if (handle >= 0 && (flags & O_TRUNC) != 0) {
            note_bytes(faulty, handle);
            if (machine->truncate(machine, handle, 0) != 0)
                abort();
        }
    }
    leave(faulty);
    return handle;
}

static ssize_t faulty_read(const verso__system *system, int file, void *bytes, size_t size) {
    faulty_system *faulty = system->context;
    verdict verdict = enter(faulty, CALL_READ);
    ssize_t result = verdict == FAILS ? -1 : machine->read(machine, file, bytes, part(verdict, size));
    leave(faulty);
    return result;
}

static ssize_t faulty_write(const verso__system *system, int file, const void *bytes, size_t size) {
    faulty_system *faulty = system->context;
    verdict verdict = enter(faulty, CALL_WRITE);
    if (verdict != FAILS)
        note_bytes(faulty, file);
    ssize_t result = verdict == FAILS ? -1 : machine->write(machine, file, bytes, part(verdict, size));
    leave(faulty);
    return result;
}

static ssize_t faulty_read_at(const verso__system *system, int file, void *bytes, size_t size, off_t offset) {
    faulty_system *faulty = system->context;
    verdict verdict = enter(faulty, CALL_READ_AT);
    ssize_t result = verdict == FAILS ? -1 : machine->read_at(machine, file, bytes, part(verdict, size), offset);
    leave(faulty);
    return result;
}

static ssize_t faulty_write_at(const verso__system *system, int file, const void *bytes, size_t size, off_t offset) {
    faulty_system *faulty = system->context;
    verdict verdict = enter(faulty, CALL_WRITE_AT);
    if (verdict != FAILS)
        note_bytes(faulty, file);
    ssize_t result = verdict == FAILS ? -1 : machine->write_at(machine, file, bytes, part(verdict, size), offset);
    leave(faulty);
    return result;
}

/* Does not call fsync, which makes tests faster; only faulty_system_lose_unsynced depends on syncs. */
static int faulty_sync(const verso__system *system, int file) {
    faulty_system *faulty = system->context;
    int result = enter(faulty, CALL_SYNC) == FAILS ? -1 : 0;
    if (result == 0)
        forget_synced(faulty, path_of(faulty, file));
    leave(faulty);
    return result;
}

static int faulty_close(const verso__system *system, int file) {
    faulty_system *faulty = system->context;
    verdict verdict = enter(faulty, CALL_CLOSE);
    int code = errno;
    closed(faulty, file);
    int result = machine->close(machine, file);
    if (verdict == FAILS) {
        result = -1;
        errno = code;
    }
    leave(faulty);
    return result;
}

static int faulty_size(const verso__system *system, int file, off_t *size) {
    faulty_system *faulty = system->context;
    int result = enter(faulty, CALL_SIZE) == FAILS ? -1 : machine->size(machine, file, size);
    leave(faulty);
    return result;
}

static int faulty_truncate(const verso__system *system, int file, off_t size) {
    faulty_system *faulty = system->context;
    int result = -1;
    if (enter(faulty, CALL_TRUNCATE) != FAILS) {
        note_bytes(faulty, file);
        result = machine->truncate(machine, file, size);
    }
    leave(faulty);
    return result;
}

static int faulty_lock(const verso__system *system, int file) {
    faulty_system *faulty = system->context;
    int result = enter(faulty, CALL_LOCK) == FAILS ? -1 : machine->lock(machine, file);
    leave(faulty);
    return result;
}

/* Renames the file in all recorded changes. */
static void note_rename(faulty_system *faulty, const char *from, const char *to, char *aside) {
    undo *bytes = find_bytes(faulty, from);
    undo *one = note(faulty, UNDO_RENAME, to);
    one->from = copy_of(from);
    one->aside = aside;
    if (bytes == NULL)
        return;
    off_t size = bytes->size;
    free(bytes->path);
    bytes->path = copy_of(""); /* undone under the new name, before the rename is undone */
    note(faulty, UNDO_BYTES, to)->size = size;
}

static int faulty_rename(const verso__system *system, const char *from, const char *to) {
    faulty_system *faulty = system->context;
    int result = -1;
    if (enter(faulty, CALL_RENAME) != FAILS) {
        char *aside = faulty->aside != NULL ? put_aside(faulty, to) : NULL;
        result = machine->rename(machine, from, to);
        if (result == 0 && faulty->aside != NULL)
            note_rename(faulty, from, to, aside);
        else
            free(aside);
    }
    leave(faulty);
    return result;
}

static int faulty_remove(const verso__system *system, const char *path) {
    faulty_system *faulty = system->context;
    int result = -1;
    if (enter(faulty, CALL_REMOVE) != FAILS) {
        char *aside = faulty->aside != NULL ? put_aside(faulty, path) : NULL;
        result = machine->remove(machine, path);
        if (result == 0 && faulty->aside != NULL)
            note(faulty, UNDO_REMOVE, path)->aside = aside;
        else
            free(aside);
    }
    leave(faulty);
    return result;
}

/* Directories themselves are never lost: without its directory a test would have nothing to check. */
static int faulty_make_directory(const verso__system *system, const char *path) {
    faulty_system *faulty = system->context;
    int result = enter(faulty, CALL_MAKE_DIRECTORY) == FAILS ? -1 : machine->make_directory(machine, path);
    leave(faulty);
    return result;
}

static int faulty_remove_directory(const verso__system *system, const char *path) {
    faulty_system *faulty = system->context;
    int result = enter(faulty, CALL_REMOVE_DIRECTORY) == FAILS ? -1 : machine->remove_directory(machine, path);
    leave(faulty);
    return result;
}

/* Without the mutex, because the visitor may make calls. */
static int faulty_list(const verso__system *system, const char *path, bool (*visit)(void *context, const char *name),
                       void *context) {
    faulty_system *faulty = system->context;
    bool fails = enter(faulty, CALL_LIST) == FAILS;
    leave(faulty);
    return fails ? -1 : machine->list(machine, path, visit, context);
}

/* ---- Creation ---- */

void faulty_system_init(faulty_system *faulty, const char *aside) {
    memset(faulty, 0, sizeof *faulty);
    faulty->system = (verso__system){
        .context = faulty,
        .open = faulty_open,
        .read = faulty_read,
        .write = faulty_write,
        .read_at = faulty_read_at,
        .write_at = faulty_write_at,
        .sync = faulty_sync,
        .close = faulty_close,
        .size = faulty_size,
        .truncate = faulty_truncate,
        .lock = faulty_lock,
        .rename = faulty_rename,
        .remove = faulty_remove,
        .make_directory = faulty_make_directory,
        .remove_directory = faulty_remove_directory,
        .list = faulty_list,
    };
    pthread_mutex_init(&faulty->mutex, NULL);
    faulty->aside = aside;
    for (size_t i = 0; i < FAULTY_FILES_MAX; i++)
        faulty->files[i].handle = -1;
}

void faulty_system_free(faulty_system *faulty) {
    verso__system_replace(NULL);
    while (faulty->undo != NULL) {
        undo *one = faulty->undo;
        if (one->aside != NULL)
            (void)unlink(one->aside);
        faulty->undo = one->next;
        free_undo(one);
    }
    for (size_t i = 0; i < FAULTY_FILES_MAX; i++)
        free(faulty->files[i].path);
    pthread_mutex_destroy(&faulty->mutex);
}

void faulty_system_fail(faulty_system *faulty, uint64_t n, fault kind, int code) {
    pthread_mutex_lock(&faulty->mutex);
    faulty->calls = 0;
    memset(faulty->of, 0, sizeof faulty->of);
    faulty->crashed = faulty->struck = false;
    faulty->at = n;
    faulty->kind = kind;
    faulty->code = code;
    pthread_mutex_unlock(&faulty->mutex);
}
