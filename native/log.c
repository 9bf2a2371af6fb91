/* The log of the outside world (world.c) of a durable run, in its directory. See native.h.
 *
 *     DIRECTORY/world     magic | seed | entries, as they are in memory
 *
 * The seed stands for what the run depends on (facts.c). Each entry ends with a checksum of itself and of the one
 * before (the first: of the seed), and capsules remember the one at which they stand. So what holds is what this run
 * was told, and a torn entry at the end, or damage, is found; nothing behind it is trusted. An entry is written when
 * its call has been made, and synced before a capsule that knows of it leaves the process.
 *
 * What the process held that is over (open files, its working directory) is gone with it. Entries say which handles
 * they have to do with; a call that would use one of those here is refused. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = 2 * VERSO_WORD };
static const uint64_t magic = UINT64_C(0x646c726f776f7376); /* "vsoworld" */

struct verso_native_log {
    verso_file file;
    char *path;
    uint64_t seed;
    uint64_t inherited; /* bytes of the log that processes before this one have written */
    bool changed;       /* one of them has changed itself */
    bool dirty;         /* not all is synced */
    uint64_t *dead;     /* handles of theirs */
    size_t dead_count, dead_room;
};

/* ---- Entries ---- */

static verso_native_log *the_log(void) {
    return verso_native_runtime.world.log;
}

uint64_t verso_native_log_chain(uint64_t at) {
    uint64_t chain = the_log() != NULL ? the_log()->seed : 0;
    if (the_log() != NULL && at > 0)
        memcpy(&chain, verso_native_runtime.world.bytes + at - sizeof chain, sizeof chain);
    return chain;
}

static uint64_t checksum_of(uint64_t before, const char *entry, size_t size) {
    return verso_checksum_chain((verso_identity){{before, 0}}, entry, size).words[0];
}

bool verso_native_log_has(uint64_t at, uint64_t chain) {
    if (the_log() == NULL)
        return true;
    bool within = at == 0 || (at > sizeof chain && at <= verso_native_runtime.world.size);
    return within && verso_native_log_chain(at) == chain;
}

/* Not VERSO_CORRUPT: an older capsule is no way out. */
verso_status verso_native_log_lacks(verso_error *error) {
    return verso_fail(
        error, VERSO_INVALID,
        "'%.200s' is damaged: a capsule knows more of what the run was told by the outside world than is in "
        "it. Bring it back from a copy, or remove the directory to begin anew.",
        the_log()->path);
}

bool verso_native_log_inherited(uint64_t at) {
    return the_log() != NULL && at < the_log()->inherited;
}

uint64_t verso_native_log_seal(const char *entry, size_t size) {
    return checksum_of(verso_native_log_chain(verso_native_runtime.world.at), entry, size);
}

void verso_native_log_append(void) {
    uint64_t at = verso_native_runtime.world.at, size = verso_native_runtime.world.size - at;
    verso_error error;
    verso_status status =
        verso_file_write_at(&the_log()->file, verso_native_runtime.world.bytes + at, size, HEADER + at, &error);
    the_log()->dirty = true;
    if (status == VERSO_OK)
        return;
    verso_native_runtime.world.size = at;
    verso_native_give_up(status, "%s", error.message);
}

verso_status verso_native_log_sync(verso_error *error) {
    if (the_log() == NULL || !the_log()->dirty)
        return VERSO_OK;
    verso_status status = verso_file_sync(&the_log()->file, error);
    the_log()->dirty = status != VERSO_OK;
    return status;
}

/* ---- Handles ---- */

static size_t find_dead(uint64_t handle) {
    size_t i = 0;
    while (i < the_log()->dead_count && the_log()->dead[i] != handle)
        i++;
    return i;
}

static bool bury(verso_native_log *log, uint64_t handle) {
    for (size_t i = 0; i < log->dead_count; i++)
        if (log->dead[i] == handle)
            return true;
    if (log->dead_count == log->dead_room) {
        size_t room = log->dead_room > 0 ? 2 * log->dead_room : 16;
        uint64_t *longer = verso_realloc(log->dead, room, sizeof *longer);
        if (longer == NULL)
            return false;
        log->dead = longer;
        log->dead_room = room;
    }
    log->dead[log->dead_count++] = handle;
    return true;
}

/* The standard streams are the same as their descriptors. 0: none. */
static uint64_t plain_handle(uint64_t handle) {
    const FILE *const standard[] = {stdin, stdout, stderr};
    for (uint64_t i = 0; i < 3; i++)
        if (handle == (uintptr_t)standard[i])
            handle = VERSO_NATIVE_DESCRIPTOR | i;
    bool output = handle == (VERSO_NATIVE_DESCRIPTOR | 1) || handle == (VERSO_NATIVE_DESCRIPTOR | 2);
    bool none = (handle & VERSO_NATIVE_DESCRIPTOR) != 0 && (int32_t)(uint32_t)handle < 0;
    return output || none ? 0 : handle;
}

static void note(uint64_t handle) {
    if (verso_native_runtime.world.handle_count < VERSO_NATIVE_HANDLES)
        verso_native_runtime.world.handles[verso_native_runtime.world.handle_count++] = handle;
}

void verso_native_world_uses(uint64_t handle) {
    handle = plain_handle(handle);
    if (the_log() == NULL || handle == 0)
        return;
    if (find_dead(handle) < the_log()->dead_count)
        verso_native_give_up(
            VERSO_INVALID,
            "%s uses a file (or a lock, a locale, a key) that a process of this durable run has used which is over: "
            "here "
            "it is not open, or not where it was; write to standard output, read input before the function that is "
            "differentiated, or open and close files within one step.",
            verso_native_runtime.world.call->where);
    note(handle);
}

void verso_native_world_opens(uint64_t handle) {
    handle = plain_handle(handle);
    if (the_log() == NULL || handle == 0)
        return;
    size_t at = find_dead(handle);
    if (at < the_log()->dead_count)
        the_log()->dead[at] = the_log()->dead[--the_log()->dead_count];
    note(handle);
}

void verso_native_world_points(const void *result) {
    if (the_log() == NULL || result == NULL || verso_native_is_own(result))
        return;
    verso_native_give_up(
        VERSO_INVALID,
        "%s returns memory of the C library, which does not outlive the process, and this run is "
        "durable; call it before the function that is differentiated, or give it memory of the program.",
        verso_native_runtime.world.call->where);
}

void verso_native_world_changes(void) {
    verso_native_runtime.world.changes = the_log() != NULL;
}

void verso_native_log_make(void) {
    if (the_log() == NULL || !the_log()->changed)
        return;
    verso_native_give_up(
        VERSO_INVALID,
        "%s would meet another process than the one in which this durable run began: that one has changed its working "
        "directory, environment, signals, locale or the like; do so before the function that is differentiated.",
        verso_native_runtime.world.call->where);
}

/* ---- Reading ---- */

/* Where the entry at `at` ends; `at` when it does not hold. Its handles are noted. */
static uint64_t pass_entry(verso_native_log *log, uint64_t at, uint64_t size) {
    const char *bytes = verso_native_runtime.world.bytes;
    verso_native_entry head;
    if (size - at < sizeof head + VERSO_WORD)
        return at;
    memcpy(&head, bytes + at, sizeof head);
    uint64_t whole = sizeof head + head.size, tail = head.handles * sizeof(uint64_t), before = log->seed, seal;
    if (whole > size - at - VERSO_WORD || tail > head.size)
        return at;
    if (at > 0)
        memcpy(&before, bytes + at - sizeof before, sizeof before);
    memcpy(&seal, bytes + at + whole, sizeof seal);
    if (seal != checksum_of(before, bytes + at, whole))
        return at;
    log->changed = log->changed || head.changes;
    for (uint64_t i = 0; i < head.handles; i++) {
        uint64_t handle;
        memcpy(&handle, bytes + at + whole - tail + i * sizeof handle, sizeof handle);
        if (!bury(log, handle))
            return at;
    }
    return at + whole + VERSO_WORD;
}

/* What holds of the entries is the log. A tail that does not is written over, and will not fit to what is before it. */
static void take_entries(verso_native_log *log, uint64_t size) {
    uint64_t at = 0;
    for (uint64_t next; (next = pass_entry(log, at, size)) != at;)
        at = next;
    verso_native_runtime.world.size = log->inherited = at;
    log->dirty = true; /* who wrote it may have died before it was synced */
}

static verso_status read_file(verso_native_log *log, bool *ours, uint64_t *size, verso_error *error) {
    unsigned char header[HEADER];
    const unsigned char *at = header;
    uint64_t length;
    size_t got;
    verso_status status = verso_file_size(&log->file, &length, error);
    if (status == VERSO_OK)
        status = verso_file_read(&log->file, header, sizeof header, &got, error);
    if (status != VERSO_OK)
        return status;
    *ours = got == sizeof header && verso_get_word(&at) == magic && verso_get_word(&at) == log->seed;
    *size = *ours ? length - HEADER : 0;
    if (*size == 0)
        return VERSO_OK;
    verso_native_runtime.world.bytes = verso_alloc((size_t)*size, 1);
    if (verso_native_runtime.world.bytes == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to read '%s'.", log->path);
    verso_native_runtime.world.room = (size_t)*size;
    status = verso_file_read(&log->file, verso_native_runtime.world.bytes, (size_t)*size, &got, error);
    *size = got;
    return status;
}

static verso_status begin_file(verso_native_log *log, const char *directory, verso_error *error) {
    unsigned char header[HEADER], *at = header;
    verso_put_word(&at, magic);
    verso_put_word(&at, log->seed);
    if (log->file.system->truncate(log->file.system, log->file.handle, 0) != 0)
        return verso_file_error(error, "truncate", log->path);
    verso_status status = verso_file_write_at(&log->file, header, sizeof header, 0, error);
    if (status == VERSO_OK)
        status = verso_file_sync(&log->file, error);
    return status == VERSO_OK ? verso_directory_sync(log->file.system, directory, error) : status;
}

/* ---- Opening and closing ---- */

static verso_status open_file(verso_native_log *log, const verso_native_durable *durable, verso_error *error) {
    bool ours;
    uint64_t size;
    verso_status status = verso_file_open(durable->system, log->path, O_RDWR | O_CREAT, &log->file, error);
    if (status == VERSO_OK)
        status = read_file(log, &ours, &size, error);
    if (status != VERSO_OK)
        return status;
    if (ours) {
        take_entries(log, size);
        return VERSO_OK;
    }
    return durable->continued ? verso_native_unusable(log->path, "it does not belong to that run", error)
                              : begin_file(log, durable->directory, error);
}

verso_status verso_native_log_open(const verso_native_durable *durable, verso_error *error) {
    verso_native_log *log = verso_alloc(1, sizeof *log);
    if (log == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the log of a run.");
    log->file.handle = -1;
    log->seed = verso_checksum(durable->facts.list, durable->facts.count * sizeof *durable->facts.list);
    log->path = verso_path_join(durable->directory, "world");
    verso_native_runtime.world.log = log;
    return log->path == NULL ? verso_fail(error, VERSO_NO_MEMORY, "no memory for the log of a run.")
                             : open_file(log, durable, error);
}

void verso_native_log_close(void) {
    verso_native_log *log = the_log();
    if (log == NULL)
        return;
    (void)verso_file_close(&log->file, NULL);
    verso_dealloc(log->path);
    verso_dealloc(log->dead);
    verso_dealloc(log);
    verso_native_runtime.world.log = NULL;
}
