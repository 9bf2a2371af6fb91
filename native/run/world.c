/* Calls to the outside world are made once. See native/state.h for the generated calls, world.h for the rest.
 *
 * Calls of the C library whose effect or result lies outside the program's memory are made when a run comes
 * there for the first time; their results, and what they wrote to the program's memory, are appended to a log.
 * When the run is repeated, they are read from the log. How far the run has come in the log is part of its
 * capsules.
 *
 * An entry consists of a head (which call, how many bytes follow) and bytes: the result, the memory that was
 * written (for a string, its length first), errno if the call changed it, and, in a durable run, handles. Their
 * order follows from the call and its result, so entries do not describe it; a run that reads more or fewer
 * bytes than an entry has behaves differently than before.
 *
 * Entries are appended as a whole, and read in order from an offset in a capsule. Those of a durable run are in
 * a file, too (log.c). */
#include "native/run/inside.h"

#include "base/alloc.h"
#include "base/wide.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Within a budget, a log longer than ROOM_LARGE gets all the memory that it may take at once: unused memory has
 * no pages, while a log that grows by copying would exist twice. */
enum { ROOM_AT_FIRST = 4096, ROOM_LARGE = 64 << 10 };

verso__native_world_state verso__native_world_now;

/* ---- Opening and closing ---- */

static bool keeps(void *block);

void verso__native_world_open(void) {
    memset(&verso__native_world_now, 0, sizeof verso__native_world_now);
    verso__native_generators_forget();
    verso__native_now.world = 1;
    verso__native_outside_watch();
    verso__native_arena_keep_others(keeps);
}

static int compare_blocks(const void *a, const void *b) {
    const char *first = *(char *const *)a, *second = *(char *const *)b;
    return first < second ? -1 : first > second;
}

/* A block may be listed several times, once for each repetition, and blocks of an earlier process do not exist
 * here. */
static void free_blocks(void) {
    void **blocks = verso__native_world_now.blocks;
    size_t count = verso__native_world_now.block_count;
    if (count > 0)
        qsort(blocks, count, sizeof *blocks, compare_blocks);
    for (size_t i = 0; i < count; i++)
        if (!verso__native_log_inherited(0) && (i == 0 || blocks[i] != blocks[i - 1]))
            free(blocks[i]);
    verso__dealloc(blocks);
}

size_t verso__native_world_close(void) {
    size_t bytes = verso__native_world_bytes();
    free_blocks();
    verso__native_world_free();
    memset(&verso__native_world_now, 0, sizeof verso__native_world_now);
    verso__native_now.world = 0;
    verso__native_outside_forget();
    verso__native_arena_keep_others(NULL);
    return bytes;
}

/* Memory after the last entry has no pages yet, if there is much of it. */
size_t verso__native_world_bytes(void) {
    uint64_t size = verso__max_u64(verso__native_world_now.size, verso__native_world_now.next);
    return verso__native_world_resident(size) + verso__native_world_now.block_count * sizeof(void *);
}

void verso__native_world_limit(uint64_t bytes) {
    verso__native_world_now.limit = bytes;
}

uint64_t verso__native_world_at(void) {
    return verso__native_world_now.at;
}

/* A stream may have its buffer in the program's memory, which is about to be put back: flush it first. */
void verso__native_world_rewind(uint64_t at) {
    if (verso__native_world_now.met)
        fflush(NULL);
    verso__native_world_now.met = false;
    verso__native_world_now.at = at;
    verso__native_world_let_go(at, true);
}

void verso__native_world_may_spill(void) {
    verso__native_world_now.may_spill = true;
}

/* ---- Entries ---- */

_Noreturn static void fail_diverged(void) {
    verso_error error;
    verso_status status = verso__native_report_divergence(&error);
    verso__native_give_up(status, "%s: %s", verso__native_world_now.call->where, error.message);
}

/* A larger budget may suffice. The length of the log is not known before the end of the run. */
_Noreturn static void fail_log_too_long(void) {
    verso__native_give_up(VERSO_STATUS_IMPOSSIBLE,
                          "%s: the log of the outside world takes more than %llu bytes, and the budget has no room "
                          "for more; give a larger budget, compile foreign functions with `verso cc`, or declare "
                          "those VERSO_PURE that keep nothing",
                          verso__native_world_now.call->where, (unsigned long long)verso__native_world_now.limit);
}

static void make_room(uint64_t size) {
    uint64_t room = verso__native_world_now.room == 0 ? ROOM_AT_FIRST : verso__native_world_now.room;
    int before = errno;
    if (verso__native_world_spill(size))
        return;
    if (verso__native_world_now.limit != 0 && size > verso__native_world_now.limit)
        fail_log_too_long();
    while (room < size)
        room *= 2;
    if (size > ROOM_LARGE && size <= verso__native_world_now.limit)
        room = verso__native_world_now.limit;
    if (size <= verso__native_world_now.room)
        return;
    char *bytes = verso__realloc(verso__native_world_now.bytes, room, 1);
    if (bytes == NULL)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY,
                              "%s: no memory to keep what comes from outside the program: %llu bytes",
                              verso__native_world_now.call->where, (unsigned long long)room);
    verso__native_world_now.bytes = bytes;
    verso__native_world_now.room = room;
    errno = before;
}

static void append(const void *data, uint64_t size) {
    make_room(verso__native_world_now.next + size);
    memcpy(verso__native_world_now.bytes + verso__native_world_now.next, data, size);
    verso__native_world_now.next += size;
}

static void take(void *data, uint64_t size) {
    if (size > verso__native_world_now.end - verso__native_world_now.next)
        fail_diverged();
    memcpy(data, verso__native_world_now.bytes + verso__native_world_now.next, size);
    verso__native_world_now.next += size;
}

static verso__native_entry head_here(void) {
    verso__native_entry head;
    memcpy(&head, verso__native_world_now.bytes + verso__native_world_now.at, sizeof head);
    return head;
}

int verso__native_world_begin(const verso__native_outside *call) {
    uint64_t at = verso__native_world_now.at;
    verso__native_world_now.call = call;
    verso__native_world_now.first = at == verso__native_world_now.size;
    verso__native_world_now.next = at + sizeof(verso__native_entry);
    if (verso__native_world_now.first) {
        verso__native_log_check_process();
        verso__native_world_now.met = true;
        verso__native_world_now.handle_count = 0;
        verso__native_world_now.changes = false;
        verso__native_world_now.foreign = verso__native_world_now.files = verso__native_world_now.items = false;
        make_room(verso__native_world_now.next);
        verso__native_world_now.errno_before = errno;
        return 1;
    }
    if (at > verso__native_world_now.size || head_here().call != call->number)
        fail_diverged();
    verso__native_world_now.end = verso__native_world_now.next + head_here().size;
    return 0;
}

/* Refuses to restore logged bytes of another process at an address that is not the program's own: other data is
 * there in this process. */
_Noreturn static void fail_foreign_memory(void) {
    verso__native_give_up(
        VERSO_STATUS_INVALID,
        "%s has written to memory that is not the program's own, and that does not outlive the process; "
        "this run is durable: give it memory of the program",
        verso__native_world_now.call->where);
}

void verso__native_world_data(void *data, uint64_t size) {
    if (data == NULL || size == 0)
        return;
    if (verso__native_world_now.first)
        append(data, size);
    else if (verso__native_log_inherited(verso__native_world_now.at) && !verso__native_is_own(data))
        fail_foreign_memory();
    else
        take(data, size);
}

void verso__native_world_keep(void *data, uint64_t size) {
    if (size == 0)
        return;
    if (verso__native_now.world == 0 || verso__native_world_now.first)
        append(data, size);
    else
        take(data, size);
}

void verso__native_world_has_items(void) {
    verso__native_world_now.items = true;
}

size_t verso__native_world_forget(void) {
    size_t bytes = verso__native_world_bytes();
    verso__native_world_free();
    memset(&verso__native_world_now, 0, sizeof verso__native_world_now);
    return bytes;
}

void verso__native_world_string(char *string) {
    if (string == NULL)
        return;
    uint64_t size = verso__native_world_now.first ? strlen(string) + 1 : 0;
    verso__native_world_data(&size, sizeof size);
    verso__native_world_data(string, size);
}

/* Flushes streams first: output in a buffer would be lost with the process, but the log says that it was
 * written. */
static void seal(void) {
    uint64_t at = verso__native_world_now.at, size = verso__native_world_now.next - at;
    fflush(NULL);
    uint64_t sum = verso__native_log_seal(verso__native_world_now.bytes + at, size);
    append(&sum, sizeof sum);
}

static void end_first(void) {
    int now = errno;
    verso__native_entry head = {.call = verso__native_world_now.call->number,
                                .changes_errno = now != verso__native_world_now.errno_before,
                                .changes = verso__native_world_now.changes,
                                .foreign = verso__native_world_now.foreign,
                                .files = verso__native_world_now.files,
                                .items = verso__native_world_now.items,
                                .handles = verso__native_world_now.handle_count};
    if (head.changes_errno)
        append(&now, sizeof now);
    if (head.files) {
        uint64_t notes = verso__native_world_now.noted - verso__native_world_now.at;
        append(&notes, sizeof notes);
    }
    append(verso__native_world_now.handles, head.handles * sizeof *verso__native_world_now.handles);
    head.size = verso__native_world_now.next - verso__native_world_now.at - sizeof head;
    memcpy(verso__native_world_now.bytes + verso__native_world_now.at, &head, sizeof head);
    if (verso__native_world_now.log != NULL)
        seal();
    verso__native_world_now.size = verso__native_world_now.next;
    if (verso__native_world_now.log != NULL)
        verso__native_log_append();
    errno = now;
}

static void end_repeated(void) {
    int then;
    if (head_here().changes_errno) {
        take(&then, sizeof then);
        errno = then;
    }
    verso__native_world_now.next += head_here().files * sizeof(uint64_t);
    verso__native_world_now.next += head_here().handles * sizeof *verso__native_world_now.handles;
    if (verso__native_world_now.next != verso__native_world_now.end)
        fail_diverged();
    if (verso__native_world_now.log != NULL)
        verso__native_world_now.next += sizeof(uint64_t);
}

void verso__native_world_end(void) {
    if (verso__native_world_now.first)
        end_first();
    else
        end_repeated();
    verso__native_world_now.at = verso__native_world_now.next;
    verso__native_world_let_go(verso__native_world_now.at, false);
}

/* ---- Refusals ---- */

void verso__native_world_refuse(const verso__native_outside *call) {
    verso__native_give_up(VERSO_STATUS_INVALID,
                          "%s keeps state that Verso cannot save and restore, and this run is repeated; call it "
                          "before the function that is differentiated, or differentiate in a single pass",
                          call->where);
}

/* Flags, a width, a precision and a size may be between % and n. */
void verso__native_world_format(const verso__native_outside *call, const char *format) {
    for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
        at += 1 + strspn(at + 1, "#0- +'I123456789.*$hlLqjzt");
        if (*at == 'n')
            verso__native_give_up(VERSO_STATUS_INVALID,
                                  "%s with %%n writes what Verso cannot see, and this run is repeated; use what printf "
                                  "returns, or differentiate in a single pass",
                                  call->where);
        at += *at != '\0';
    }
}

/* ---- Blocks of the C library's heap ---- */

static bool is_on_private_stack(void) {
    return (uintptr_t)__builtin_frame_address(0) - VERSO_NATIVE_STACK_AT < VERSO_NATIVE_STACK_SIZE;
}

/* Keeps a block of the C library's heap that the program frees until the end, because the run may be repeated. */
static bool keeps(void *block) {
    if (verso__native_now.world == 0 || !is_on_private_stack())
        return false;
    size_t count = verso__native_world_now.block_count, room = verso__native_world_now.block_room;
    if (count == room) {
        room = room == 0 ? 64 : 2 * room;
        void **grown = verso__realloc(verso__native_world_now.blocks, room, sizeof *grown);
        if (grown == NULL)
            return true; /* no memory for the list: the block is never freed */
        verso__native_world_now.blocks = grown;
        verso__native_world_now.block_room = room;
    }
    verso__native_world_now.blocks[verso__native_world_now.block_count++] = block;
    return true;
}

uint64_t verso__native_world_size(void) {
    return verso__native_world_now.size;
}
