/* The outside world happens once. See state.h for who calls this, native.h for who opens it.
 *
 * A run that is repeated meets the outside world when it comes to a place for the first time. Calls of the C library
 * whose effect or whose result lies outside the program's memory are made then; what they returned and what they wrote
 * to the program's memory is appended to a log. When the run comes there again it is taken from the log. How far it has
 * come in the log belongs to its capsules.
 *
 * An entry is a word (which call, how many bytes follow) and these bytes: the result, the memory that was written, the
 * length of a string before it, errno where the call changed it, and handles that a durable run notes. What they are
 * follows from the call and from what it returned, so entries do not say it; a run that asks for more or for less than
 * an entry has took another course.
 *
 * Entries are appended whole, and read in order from a place that somebody has kept. Those of a durable run are in a
 * file, too (log.c). */
#include "native/native.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_AT_FIRST = 4096 };

/* ---- Opening and closing ---- */

void verso_native_world_open(void) {
    memset(&verso_native_runtime.world, 0, sizeof verso_native_runtime.world);
    verso_native_generators_forget();
    verso_native_now.world = 1;
    verso_native_outside_watch();
}

static int compare_blocks(const void *a, const void *b) {
    const char *first = *(char *const *)a, *second = *(char *const *)b;
    return first < second ? -1 : first > second;
}

/* A block is freed as often as the run came to where it is. Some may be those of a process that is over. */
static void free_blocks(void) {
    void **blocks = verso_native_runtime.world.blocks;
    size_t count = verso_native_runtime.world.block_count;
    if (count > 0)
        qsort(blocks, count, sizeof *blocks, compare_blocks);
    for (size_t i = 0; i < count; i++)
        if (!verso_native_log_inherited(0) && (i == 0 || blocks[i] != blocks[i - 1]))
            free(blocks[i]);
    verso_dealloc(blocks);
}

size_t verso_native_world_close(void) {
    size_t bytes = verso_native_world_bytes();
    free_blocks();
    verso_dealloc(verso_native_runtime.world.bytes);
    memset(&verso_native_runtime.world, 0, sizeof verso_native_runtime.world);
    verso_native_now.world = 0;
    verso_native_outside_forget();
    return bytes;
}

size_t verso_native_world_bytes(void) {
    return verso_native_runtime.world.room + verso_native_runtime.world.block_room * sizeof(void *);
}

uint64_t verso_native_world_at(void) {
    return verso_native_runtime.world.at;
}

/* A stream may have its buffer in the program's memory, which is about to be put back: what waits there is written. */
void verso_native_world_go(uint64_t at) {
    if (verso_native_runtime.world.met)
        fflush(NULL);
    verso_native_runtime.world.met = false;
    verso_native_runtime.world.at = at;
}

/* ---- Entries ---- */

_Noreturn static void give_up_course(void) {
    verso_error error;
    verso_status status = verso_native_another_course(&error);
    verso_native_give_up(status, "%s: %s", verso_native_runtime.world.call->where, error.message);
}

static void make_room(uint64_t size) {
    uint64_t room = verso_native_runtime.world.room == 0 ? ROOM_AT_FIRST : verso_native_runtime.world.room;
    int before = errno;
    while (room < size)
        room *= 2;
    if (room == verso_native_runtime.world.room)
        return;
    char *bytes = verso_realloc(verso_native_runtime.world.bytes, room, 1);
    if (bytes == NULL)
        verso_native_give_up(VERSO_NO_MEMORY, "%s: no memory to keep what comes from outside the program: %llu bytes.",
                             verso_native_runtime.world.call->where, (unsigned long long)room);
    verso_native_runtime.world.bytes = bytes;
    verso_native_runtime.world.room = room;
    errno = before;
}

static void append(const void *data, uint64_t size) {
    make_room(verso_native_runtime.world.next + size);
    memcpy(verso_native_runtime.world.bytes + verso_native_runtime.world.next, data, size);
    verso_native_runtime.world.next += size;
}

static void take(void *data, uint64_t size) {
    if (size > verso_native_runtime.world.end - verso_native_runtime.world.next)
        give_up_course();
    memcpy(data, verso_native_runtime.world.bytes + verso_native_runtime.world.next, size);
    verso_native_runtime.world.next += size;
}

static verso_native_entry head_here(void) {
    verso_native_entry head;
    memcpy(&head, verso_native_runtime.world.bytes + verso_native_runtime.world.at, sizeof head);
    return head;
}

int verso_native_world_begin(const verso_native_outside *call) {
    uint64_t at = verso_native_runtime.world.at;
    verso_native_runtime.world.call = call;
    verso_native_runtime.world.first = at == verso_native_runtime.world.size;
    verso_native_runtime.world.next = at + sizeof(verso_native_entry);
    if (verso_native_runtime.world.first) {
        verso_native_log_make();
        verso_native_runtime.world.met = true;
        verso_native_runtime.world.handle_count = 0;
        verso_native_runtime.world.changes = false;
        make_room(verso_native_runtime.world.next);
        verso_native_runtime.world.errno_before = errno;
        return 1;
    }
    if (at > verso_native_runtime.world.size || head_here().call != call->number)
        give_up_course();
    verso_native_runtime.world.end = verso_native_runtime.world.next + head_here().size;
    return 0;
}

/* What another process was told at an address that is not the program's own: there is something else here. */
_Noreturn static void give_up_memory(void) {
    verso_native_give_up(
        VERSO_INVALID,
        "%s has written to memory that is not the program's own, and that does not outlive the process; "
        "this run is durable: give it memory of the program.",
        verso_native_runtime.world.call->where);
}

void verso_native_world_data(void *data, uint64_t size) {
    if (data == NULL || size == 0)
        return;
    if (verso_native_runtime.world.first)
        append(data, size);
    else if (verso_native_log_inherited(verso_native_runtime.world.at) && !verso_native_is_own(data))
        give_up_memory();
    else
        take(data, size);
}

void verso_native_world_string(char *string) {
    if (string == NULL)
        return;
    uint64_t size = verso_native_runtime.world.first ? strlen(string) + 1 : 0;
    verso_native_world_data(&size, sizeof size);
    verso_native_world_data(string, size);
}

/* Output that waits in a buffer would be gone with the process, and the log says that it was written. */
static void seal(void) {
    uint64_t at = verso_native_runtime.world.at, size = verso_native_runtime.world.next - at;
    fflush(NULL);
    uint64_t sum = verso_native_log_seal(verso_native_runtime.world.bytes + at, size);
    append(&sum, sizeof sum);
}

static void end_first(void) {
    int now = errno;
    verso_native_entry head = {.call = verso_native_runtime.world.call->number,
                               .changes_errno = now != verso_native_runtime.world.errno_before,
                               .changes = verso_native_runtime.world.changes,
                               .handles = verso_native_runtime.world.handle_count};
    if (head.changes_errno)
        append(&now, sizeof now);
    append(verso_native_runtime.world.handles, head.handles * sizeof *verso_native_runtime.world.handles);
    head.size = verso_native_runtime.world.next - verso_native_runtime.world.at - sizeof head;
    memcpy(verso_native_runtime.world.bytes + verso_native_runtime.world.at, &head, sizeof head);
    if (verso_native_runtime.world.log != NULL)
        seal();
    verso_native_runtime.world.size = verso_native_runtime.world.next;
    if (verso_native_runtime.world.log != NULL)
        verso_native_log_append();
    errno = now;
}

static void end_again(void) {
    int then;
    if (head_here().changes_errno) {
        take(&then, sizeof then);
        errno = then;
    }
    verso_native_runtime.world.next += head_here().handles * sizeof *verso_native_runtime.world.handles;
    if (verso_native_runtime.world.next != verso_native_runtime.world.end)
        give_up_course();
    if (verso_native_runtime.world.log != NULL)
        verso_native_runtime.world.next += sizeof(uint64_t);
}

void verso_native_world_end(void) {
    if (verso_native_runtime.world.first)
        end_first();
    else
        end_again();
    verso_native_runtime.world.at = verso_native_runtime.world.next;
}

/* ---- What cannot happen once ---- */

void verso_native_world_refuse(const verso_native_outside *call) {
    verso_native_give_up(
        VERSO_INVALID,
        "%s keeps something where Verso cannot keep and restore it, and this run is repeated; call it before the "
        "function that is differentiated, or differentiate at one go.",
        call->where);
}

/* Flags, a width, a precision and a size stand between % and n. */
void verso_native_world_format(const verso_native_outside *call, const char *format) {
    for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
        at += 1 + strspn(at + 1, "#0- +'I123456789.*$hlLqjzt");
        if (*at == 'n')
            verso_native_give_up(VERSO_INVALID,
                                 "%s with %%n writes what Verso cannot see, and this run is repeated; use what printf "
                                 "returns, or differentiate at one go.",
                                 call->where);
        at += *at != '\0';
    }
}

/* ---- Blocks of the C library's heap ---- */

static bool on_private_stack(void) {
    return (uintptr_t)__builtin_frame_address(0) - VERSO_NATIVE_STACK_AT < VERSO_NATIVE_STACK_SIZE;
}

bool verso_native_world_keeps(void *block) {
    if (verso_native_now.world == 0 || !on_private_stack())
        return false;
    size_t count = verso_native_runtime.world.block_count, room = verso_native_runtime.world.block_room;
    if (count == room) {
        room = room == 0 ? 64 : 2 * room;
        void **grown = verso_realloc(verso_native_runtime.world.blocks, room, sizeof *grown);
        if (grown == NULL)
            return true; /* it is never freed */
        verso_native_runtime.world.blocks = grown;
        verso_native_runtime.world.block_room = room;
    }
    verso_native_runtime.world.blocks[verso_native_runtime.world.block_count++] = block;
    return true;
}
