/* The log of the outside world (world.c) of a durable run, in its directory. See run.h.
 *
 *     DIRECTORY/world     magic | seed | entries, as they are in memory
 *
 * The seed is a checksum of what the run depends on (facts.c). Each entry ends with a checksum of itself and of
 * the checksum before it (for the first entry, of the seed), and capsules contain the checksum at their offset.
 * So an entry with a valid checksum belongs to this run, and a torn entry at the end, or damage, is found;
 * entries after it are not used. An entry is written when its call has been made, and synced before a capsule
 * that refers to it leaves the process.
 *
 * Resources of an earlier process (open files, its working directory) are gone with that process. Entries list
 * the handles that they use; a call that would use one of those in this process is refused. */
#include "native/run/inside.h"

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

struct verso__native_log {
    verso__file file;
    char *path;
    uint64_t seed;
    uint64_t inherited; /* bytes of the log that earlier processes have written */
    bool changed;       /* an earlier process has changed itself (working directory, signals, ...) */
    bool foreign;       /* an earlier process has called foreign functions */
    bool cut;           /* its end was removed */
    bool dirty;         /* the file has entries that are not synced */
    uint64_t *dead;     /* handles of earlier processes */
    size_t dead_count, dead_room;
};

/* ---- Entries ---- */

static verso__native_log *the_log(void) {
    return verso__native_world_now.log;
}

uint64_t verso__native_log_chain(uint64_t at) {
    uint64_t chain = the_log() != NULL ? the_log()->seed : 0;
    if (the_log() != NULL && at > 0)
        memcpy(&chain, verso__native_world_now.bytes + at - sizeof chain, sizeof chain);
    return chain;
}

static uint64_t checksum_of(uint64_t before, const char *entry, size_t size) {
    return verso__checksum_chain((verso_identity){{before, 0}}, entry, size).words[0];
}

bool verso__native_log_has(uint64_t at, uint64_t chain) {
    if (the_log() == NULL)
        return true;
    bool within = at == 0 || (at > sizeof chain && at <= verso__native_world_now.size);
    return within && verso__native_log_chain(at) == chain;
}

/* If the log is damaged, an older capsule would not help. */
verso_status verso__native_log_report_missing(verso_error *error) {
    if (the_log()->cut)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "a state is from a part of the run that the other ranks have not finished");
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "'%.200s' is damaged: it lacks entries that a capsule refers to. Restore it from a copy, "
                       "or remove the directory to begin anew.",
                       the_log()->path);
}

bool verso__native_log_inherited(uint64_t at) {
    return the_log() != NULL && at < the_log()->inherited;
}

uint64_t verso__native_log_seal(const char *entry, size_t size) {
    return checksum_of(verso__native_log_chain(verso__native_world_now.at), entry, size);
}

void verso__native_log_append(void) {
    uint64_t at = verso__native_world_now.at, size = verso__native_world_now.size - at;
    verso_error error;
    verso_status status = VERSO_STATUS_OK;
    if (!verso__native_world_now.spilled)
        status = verso__file_write_at(&the_log()->file, verso__native_world_now.bytes + at, size, HEADER + at, &error);
    the_log()->dirty = true;
    if (status == VERSO_STATUS_OK)
        return;
    verso__native_world_now.size = at;
    verso__native_give_up(status, "%s", error.message);
}

verso_status verso__native_log_sync(verso_error *error) {
    verso_status status = verso__native_posts_sync(error);
    if (status != VERSO_STATUS_OK || the_log() == NULL || !the_log()->dirty)
        return status;
    status = verso__file_sync(&the_log()->file, error);
    the_log()->dirty = status != VERSO_STATUS_OK;
    return status;
}

/* ---- Handles ---- */

static size_t find_dead(uint64_t handle) {
    size_t i = 0;
    while (i < the_log()->dead_count && the_log()->dead[i] != handle)
        i++;
    return i;
}

static bool bury(verso__native_log *log, uint64_t handle) {
    for (size_t i = 0; i < log->dead_count; i++)
        if (log->dead[i] == handle)
            return true;
    if (log->dead_count == log->dead_room) {
        size_t room = log->dead_room > 0 ? 2 * log->dead_room : 16;
        uint64_t *longer = verso__realloc(log->dead, room, sizeof *longer);
        if (longer == NULL)
            return false;
        log->dead = longer;
        log->dead_room = room;
    }
    log->dead[log->dead_count++] = handle;
    return true;
}

/* Maps a standard stream to its descriptor. Returns 0 for handles that need no check: standard output, standard
 * error, and invalid descriptors. */
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
    if (verso__native_world_now.handle_count < VERSO_NATIVE_HANDLES)
        verso__native_world_now.handles[verso__native_world_now.handle_count++] = handle;
}

void verso__native_world_uses(uint64_t handle) {
    handle = plain_handle(handle);
    if (the_log() == NULL || handle == 0)
        return;
    if (find_dead(handle) < the_log()->dead_count)
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "%s uses a file (or a lock, a locale, a key) that an earlier process of this durable run "
                              "has used: in this process it is not open, or not at the same position; write to "
                              "standard output, read input before the function that is differentiated, or open and "
                              "close files within one step",
                              verso__native_world_now.call->where);
    note(handle);
}

void verso__native_world_opens(uint64_t handle) {
    handle = plain_handle(handle);
    if (the_log() == NULL || handle == 0)
        return;
    size_t at = find_dead(handle);
    if (at < the_log()->dead_count)
        the_log()->dead[at] = the_log()->dead[--the_log()->dead_count];
    note(handle);
}

void verso__native_world_points(const void *result) {
    if (the_log() == NULL || result == NULL || verso__native_is_own(result))
        return;
    verso__native_give_up(
        VERSO_STATUS_INVALID,
        "%s returns memory of the C library, which does not outlive the process, and this run is "
        "durable; call it before the function that is differentiated, or give it memory of the program",
        verso__native_world_now.call->where);
}

void verso__native_world_changes(void) {
    verso__native_world_now.changes = the_log() != NULL;
}

void verso__native_log_check_process(void) {
    if (the_log() == NULL || !the_log()->changed)
        return;
    verso__native_give_up(VERSO_STATUS_INVALID,
                          "%s depends on the process, and this durable run began in another process, which has "
                          "changed its working directory, environment, signals, locale or the like; change them "
                          "before the function that is differentiated",
                          verso__native_world_now.call->where);
}

void verso__native_log_foreign(bool answers) {
    verso__native_world_now.foreign = true;
    if (the_log() == NULL || !the_log()->foreign || !answers)
        return;
    verso__native_give_up(
        VERSO_STATUS_INVALID,
        "%s was not compiled by `verso cc`, and is called in another process than the one in which this durable run "
        "began, where it may have kept something; compile it with `verso cc`, declare it VERSO_PURE if it keeps "
        "nothing, or call it before the function that is differentiated",
        verso__native_world_now.call->where);
}

/* ---- Reading ---- */

/* Reads the notes of an entry of `size` bytes without its handles. Ignores notes that exceed the entry. */
static void inherit_files(const char *entry, uint64_t size) {
    uint64_t notes, count;
    if (size < sizeof notes + sizeof count)
        return;
    memcpy(&notes, entry + size - sizeof notes, sizeof notes);
    if (notes > size - sizeof notes - sizeof count)
        return;
    memcpy(&count, entry + notes, sizeof count);
    if (count > (size - sizeof notes - sizeof count - notes) / sizeof(verso__native_note))
        return;
    for (uint64_t i = 0; i + 1 < count; i++) {
        verso__native_note pair[2];
        memcpy(pair, entry + notes + sizeof count + i * sizeof *pair, sizeof pair);
        if (pair[0].kind == VERSO_NATIVE_NOTE_FILE)
            verso__native_files_inherit(pair, 2);
    }
}

/* Reads the entry at `at`, and remembers its handles. Returns its end, or `at` if it is not valid. */
static uint64_t pass_entry(verso__native_log *log, uint64_t at, uint64_t size) {
    const char *bytes = verso__native_world_now.bytes;
    verso__native_entry head;
    if (size - at < sizeof head + VERSO_WORD)
        return at;
    memcpy(&head, bytes + at, sizeof head);
    if (head.size > size - at - VERSO_WORD - sizeof head || head.handles > head.size / sizeof(uint64_t))
        return at;
    uint64_t whole = sizeof head + head.size, tail = head.handles * sizeof(uint64_t), before = log->seed, seal;
    if (at > 0)
        memcpy(&before, bytes + at - sizeof before, sizeof before);
    memcpy(&seal, bytes + at + whole, sizeof seal);
    if (seal != checksum_of(before, bytes + at, whole))
        return at;
    log->changed = log->changed || head.changes;
    log->foreign = log->foreign || head.foreign;
    if (head.files)
        inherit_files(bytes + at, whole - tail);
    for (uint64_t i = 0; i < head.handles; i++) {
        uint64_t handle;
        memcpy(&handle, bytes + at + whole - tail + i * sizeof handle, sizeof handle);
        if (!bury(log, handle))
            return at;
    }
    return at + whole + VERSO_WORD;
}

/* Takes over the valid entries. Invalid entries after them are overwritten, and cannot match the checksums
 * before them. */
static void take_entries(verso__native_log *log, uint64_t size) {
    uint64_t at = 0;
    for (uint64_t next; (next = pass_entry(log, at, size)) != at;) {
        verso__native_world_let_go(at, false);
        at = next;
    }
    verso__native_world_let_go(0, true);
    verso__native_world_now.size = log->inherited = at;
    log->dirty = true; /* the process that wrote it may have died before it was synced */
}

static verso_status read_file(verso__native_log *log, bool *ours, uint64_t *size, verso_error *error) {
    unsigned char header[HEADER];
    const unsigned char *at = header;
    uint64_t length;
    size_t got;
    verso_status status = verso__file_size(&log->file, &length, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_read(&log->file, header, sizeof header, &got, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *ours = got == sizeof header && verso__get_word(&at) == magic && verso__get_word(&at) == log->seed;
    *size = *ours ? length - HEADER : 0;
    if (*size == 0)
        return VERSO_STATUS_OK;
    verso__native_world_map(*size);
    if (verso__native_world_now.spilled)
        return VERSO_STATUS_OK;
    verso__native_world_now.bytes = verso__alloc((size_t)*size, 1);
    if (verso__native_world_now.bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to read '%s'", log->path);
    verso__native_world_now.room = (size_t)*size;
    status = verso__file_read(&log->file, verso__native_world_now.bytes, (size_t)*size, &got, error);
    *size = got;
    return status;
}

static verso_status begin_file(verso__native_log *log, const char *directory, verso_error *error) {
    unsigned char header[HEADER], *at = header;
    verso__put_word(&at, magic);
    verso__put_word(&at, log->seed);
    if (log->file.system->truncate(log->file.system, log->file.handle, 0) != 0)
        return verso__file_error(error, "truncate", log->path);
    verso_status status = verso__file_write_at(&log->file, header, sizeof header, 0, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_sync(&log->file, error);
    return status == VERSO_STATUS_OK ? verso__directory_sync(log->file.system, directory, error) : status;
}

/* ---- The part that all processes of a parallel program have in common ---- */

void verso__native_log_each(verso__native_log_visit *visit, void *context) {
    verso__native_entry head;
    for (uint64_t at = 0; the_log() != NULL && at < verso__native_world_now.size;
         at += sizeof head + head.size + VERSO_WORD) {
        memcpy(&head, verso__native_world_now.bytes + at, sizeof head);
        if (head.items)
            visit(context, at, verso__native_world_now.bytes + at + sizeof head, head.size);
        verso__native_world_let_go(at, false);
    }
    verso__native_world_let_go(0, true);
}

verso_status verso__native_log_cut(uint64_t at, verso_error *error) {
    verso__native_log *log = the_log();
    if (log == NULL || at >= verso__native_world_now.size)
        return VERSO_STATUS_OK;
    verso__native_world_now.size = at;
    log->cut = true;
    log->inherited = log->inherited < at ? log->inherited : at;
    if (log->file.system->truncate(log->file.system, log->file.handle, HEADER + at) != 0)
        return verso__file_error(error, "truncate", log->path);
    if (!verso__native_world_spilled_again())
        return verso__file_error(error, "write to", log->path);
    return verso__file_sync(&log->file, error);
}

int verso__native_log_file(uint64_t *before) {
    *before = HEADER;
    return the_log()->file.handle;
}

/* ---- Opening and closing ---- */

static verso_status open_file(verso__native_log *log, const verso__native_log_place *place, verso_error *error) {
    bool ours;
    uint64_t size;
    verso_status status = verso__file_open_own(place->system, log->path, O_RDWR | O_CREAT, &log->file, error);
    if (status == VERSO_STATUS_OK)
        status = read_file(log, &ours, &size, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (ours) {
        take_entries(log, size);
        return VERSO_STATUS_OK;
    }
    return place->continued ? verso__native_report_unusable(log->path, "it does not belong to that run", error)
                            : begin_file(log, place->directory, error);
}

verso_status verso__native_report_unusable(const char *path, const char *why, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_CORRUPT,
                       "'%.200s' is needed to continue the run in its directory, and cannot be used: %s. "
                       "Nothing was changed; restore it from a copy, or remove the directory to begin anew.",
                       path, why);
}

verso_status verso__native_log_open(const verso__native_log_place *place, verso_error *error) {
    verso__native_log *log = verso__alloc(1, sizeof *log);
    if (log == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the log of a run");
    log->file.handle = -1;
    log->seed = place->seed;
    log->path = verso__path_join(place->directory, "world");
    verso__native_world_now.log = log;
    verso_status status = log->path == NULL
                              ? verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the log of a run")
                              : open_file(log, place, error);
    return status == VERSO_STATUS_OK ? verso__native_posts_open(place, error) : status;
}

bool verso__native_log_is_open(void) {
    return the_log() != NULL;
}

void verso__native_log_close(void) {
    verso__native_log *log = the_log();
    if (log == NULL)
        return;
    verso__native_posts_close();
    if (verso__native_world_now.spilled) { /* the room behind the last entry */
        uint64_t size = verso__native_world_now.size;
        verso__native_world_now.size = verso__native_world_resident(size); /* for the report */
        verso__native_world_now.next = 0;
        verso__native_world_free();
        (void)log->file.system->truncate(log->file.system, log->file.handle, (off_t)(HEADER + size));
    }
    (void)verso__file_close(&log->file, NULL);
    verso__dealloc(log->path);
    verso__dealloc(log->dead);
    verso__dealloc(log);
    verso__native_world_now.log = NULL;
}
