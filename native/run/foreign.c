/* Calls of foreign functions: functions that `verso cc` did not compile, and that have no derivatives. See
 * native/state.h; cc/lower/passing.c generates the calls.
 *
 * It is not known what such a function keeps for itself: a counter, a position in a file. So in a run that is
 * repeated, it is called when the run comes there for the first time; its result and its changes to the
 * program's memory are appended to the log of the outside world (world.c), and read from there later. Only a
 * function that is declared pure is called each time.
 *
 * It is not known either where the function writes. So the memory of the program that can be reached from its
 * arguments (objects.c) is compared before and after the call. Numbers that have changed are constants from
 * there on (notes.c). The first megabyte is copied, so that changes are known by the word; of the rest, there
 * are checksums of pieces, and all numbers of a changed piece count as overwritten; a gradient that depends on
 * their earlier values is refused.
 *
 * A function may also remember a pointer and write there in a later call. That memory is compared again in
 * later calls: in each call if it is small, otherwise in the first calls and then ever more rarely; then a
 * change ends the run, because other changes may have gone unseen. */
#include "native/run/inside.h"

#include "base/alloc.h"
#include "base/checksum.h"

#include <errno.h>
#include <string.h>

verso__native_foreign_state verso__native_foreign_now;

enum { UNIT = 4, COPIED_MOST = 1 << 20, PIECE = 512, GIVEN_LITTLE = 64 << 10, CALLS_FIRST = 16 };

/* ---- Objects of earlier calls ---- */

/* Remembers the objects of a call, except for parts of stacks, which belong to other functions later. */
static void remember(const verso__native_objects *handed) {
    verso__native_objects *given = &verso__native_foreign_now.given;
    for (size_t i = 0; i < handed->count; i++) {
        uintptr_t begin = (uintptr_t)handed->list[i].begin;
        size_t before = given->count;
        if (begin - VERSO_NATIVE_STACK_AT < VERSO_NATIVE_STACK_SIZE || handed->list[i].begin == handed->caller.begin)
            continue;
        verso__native_objects_add_range(given, handed->list[i].begin, handed->list[i].end);
        if (given->count > before)
            given->bytes += (size_t)(handed->list[i].end - handed->list[i].begin);
    }
    given->calls = given->calls || handed->calls;
}

/* Returns true for the first calls, then four times while the number of calls doubles. */
static bool is_time_to_compare(uint64_t calls) {
    unsigned shift = calls < CALLS_FIRST ? 0 : 61 - (unsigned)__builtin_clzll(calls);
    return (calls >> shift) << shift == calls;
}

static bool given_is_little(void) {
    return verso__native_foreign_now.given.bytes <= GIVEN_LITTLE;
}

/* Adds the objects of earlier calls. Heap blocks that were freed meanwhile are not found, and thus not added. */
static void add_given(verso__native_objects *objects) {
    const verso__native_objects *given = &verso__native_foreign_now.given;
    if (given->count == 0 || (!given_is_little() && !is_time_to_compare(verso__native_foreign_now.calls)))
        return;
    for (size_t i = 0; i < given->count; i++)
        verso__native_objects_add(objects, given->list[i].begin);
    if (given->calls)
        verso__native_objects_add(objects, verso__native_program_code().begin);
    verso__native_objects_follow(objects);
}

/* ---- Before the call ---- */

_Noreturn static void no_memory(void) {
    verso__native_give_up(VERSO_STATUS_NO_MEMORY, "%s: no memory to determine what it changes",
                          verso__native_world_now.call->where);
}

static size_t size_of(const verso__native_object *object) {
    return (size_t)(object->end - object->begin);
}

static size_t pieces_of(const verso__native_object *object) {
    return (size_of(object) + PIECE - 1) / PIECE;
}

static uint64_t piece_checksum(const verso__native_object *object, size_t piece) {
    size_t at = piece * PIECE, left = size_of(object) - at;
    return verso__checksum(object->begin + at, left < PIECE ? left : PIECE);
}

/* Decides which objects are copied, in the order in which they were found, as long as they fit; the others get
 * checksums. */
static void divide(verso__native_objects *objects) {
    size_t copied = 0, room = 0;
    for (size_t i = 0; i < objects->count; i++) {
        verso__native_object *object = &objects->list[i];
        object->copied = size_of(object) <= COPIED_MOST - copied;
        object->copy = room;
        copied += object->copied ? size_of(object) : 0;
        room += object->copied ? (size_of(object) + 7) / 8 * 8 : pieces_of(object) * sizeof(uint64_t);
    }
    if (room <= verso__native_foreign_now.copies_room)
        return;
    verso__dealloc(verso__native_foreign_now.copies);
    verso__native_foreign_now.copies_room = 0;
    verso__native_foreign_now.copies = verso__alloc(room, 1);
    if (verso__native_foreign_now.copies == NULL)
        no_memory();
    verso__native_foreign_now.copies_room = room;
}

static void keep(const verso__native_object *object) {
    char *to = verso__native_foreign_now.copies + object->copy;
    if (object->copied) {
        memcpy(to, object->begin, size_of(object));
        return;
    }
    for (size_t i = 0; i < pieces_of(object); i++) {
        uint64_t sum = piece_checksum(object, i);
        memcpy(to + i * sizeof sum, &sum, sizeof sum);
    }
}

static void copy_reachable(const verso__native_foreign *call, char *const *pointers) {
    verso__native_objects *objects = &verso__native_foreign_now.objects;
    int before = errno;
    verso__native_objects_begin(objects);
    verso__native_foreign_now.handed = 0;
    if (call->count == 0 && verso__native_foreign_now.given.count == 0)
        return;
    for (uint64_t i = 0; i < call->count; i++) {
        const struct verso__native_extent *extent = &call->extents[i];
        if (extent->before != 0 || extent->after != 0)
            verso__native_objects_add_range(objects, pointers[i] - extent->before, pointers[i] + extent->after);
        else
            verso__native_objects_add(objects, pointers[i]);
    }
    verso__native_objects_follow(objects);
    verso__native_foreign_now.handed = objects->count;
    verso__native_foreign_now.calls++;
    if ((call->flags & VERSO_NATIVE_PURE) == 0) {
        remember(objects);
        add_given(objects);
    }
    divide(objects);
    for (size_t i = 0; i < objects->count; i++)
        keep(&objects->list[i]);
    if (objects->calls)
        verso__native_foreign_now.heap = verso__native_arena_checksum();
    errno = before;
}

int verso__native_foreign_begin(const verso__native_foreign *call, char *const *pointers) {
    verso__native_foreign_now.call = call;
    verso__native_world_now.call = &call->outside;
    verso__native_foreign_now.first = verso__native_now.world == 0 || verso__native_world_begin(&call->outside) != 0;
    if (verso__native_foreign_now.first)
        copy_reachable(call, pointers);
    return verso__native_foreign_now.first || (call->flags & VERSO_NATIVE_PURE) != 0;
}

/* ---- After the call ---- */

/* Adds a note for each sequence of changed words. */
static void note_words(const verso__native_object *object) {
    const char *copy = verso__native_foreign_now.copies + object->copy;
    size_t size = size_of(object), begin = SIZE_MAX;
    if (memcmp(object->begin, copy, size) == 0)
        return;
    for (size_t at = 0; at < size; at += UNIT) {
        size_t unit = size - at < UNIT ? size - at : UNIT;
        bool differs = memcmp(object->begin + at, copy + at, unit) != 0;
        if (differs && begin == SIZE_MAX)
            begin = at;
        if (begin != SIZE_MAX && (!differs || at + unit == size)) {
            size_t end = differs ? size : at;
            verso__native_note_add(VERSO_NATIVE_NOTE_CHANGED, object->begin + begin, end - begin, NULL);
            begin = SIZE_MAX;
        }
    }
}

static void note_pieces(const verso__native_object *object) {
    const char *sums = verso__native_foreign_now.copies + object->copy;
    size_t begin = SIZE_MAX;
    for (size_t i = 0; i <= pieces_of(object); i++) {
        uint64_t before = 0;
        bool differs = false;
        if (i < pieces_of(object)) {
            memcpy(&before, sums + i * sizeof before, sizeof before);
            differs = piece_checksum(object, i) != before;
        }
        if (differs && begin == SIZE_MAX)
            begin = i;
        if (!differs && begin != SIZE_MAX) {
            size_t end = i * PIECE < size_of(object) ? i * PIECE : size_of(object);
            verso__native_note_add(VERSO_NATIVE_NOTE_UNKNOWN, object->begin + begin * PIECE, end - begin * PIECE, NULL);
            begin = SIZE_MAX;
        }
    }
}

static void check_given(const verso__native_note *changed) {
    if (given_is_little())
        return;
    verso__native_give_up(
        VERSO_STATUS_INVALID,
        "%s has written to memory at %p, which a function that was not compiled by `verso cc` was passed before, but "
        "not this one; Verso cannot follow that: compile the library with `verso cc`, or give the function an adjoint "
        "(VERSO_CUSTOM_ADJOINT)",
        verso__native_world_now.call->where, (void *)changed->data);
}

static void note_changes(void) {
    const verso__native_objects *objects = &verso__native_foreign_now.objects;
    for (size_t i = 0; i < objects->count; i++) {
        size_t before = verso__native_notes_now.count;
        if (objects->list[i].copied)
            note_words(&objects->list[i]);
        else
            note_pieces(&objects->list[i]);
        if (i >= verso__native_foreign_now.handed && verso__native_notes_now.count > before)
            check_given(&verso__native_notes_now.list[before]);
    }
}

/* Refuses effects of a call that a log cannot contain. */
static void check_repeatable(const verso__native_foreign *call, const void *result) {
    const char *pointed;
    if (verso__native_foreign_now.objects.calls && verso__native_arena_checksum() != verso__native_foreign_now.heap)
        verso__native_give_up(
            VERSO_STATUS_INVALID,
            "%s was not compiled by `verso cc` and has called back a function of the program that allocates or frees "
            "memory, and this run is repeated; declare it VERSO_PURE if it keeps nothing, or differentiate in a single "
            "pass",
            call->outside.where);
    if ((call->flags & VERSO_NATIVE_READ) == 0)
        return;
    memcpy(&pointed, result, sizeof pointed);
    if (pointed == NULL || verso__native_is_own(pointed) || verso__native_is_constant(pointed))
        return;
    verso__native_give_up(
        VERSO_STATUS_INVALID,
        "%s was not compiled by `verso cc` and returns memory of a library, which may be another one when this run is "
        "repeated; declare it VERSO_PURE if it keeps nothing, call it before the function that is differentiated, or "
        "differentiate in a single pass",
        call->outside.where);
}

static void end_repeated(const verso__native_foreign *call, void *result, uint64_t size) {
    bool pure = (call->flags & VERSO_NATIVE_PURE) != 0;
    if (verso__native_foreign_now.first && !pure) {
        check_repeatable(call, result);
        verso__native_log_foreign((call->flags & VERSO_NATIVE_ANSWERS) != 0 || verso__native_notes_now.count > 0);
    }
    if (!pure)
        verso__native_world_data(result, size);
    verso__native_notes_keep(!pure);
    verso__native_world_end();
}

void verso__native_foreign_end(void *result, uint64_t size) {
    int now = errno;
    verso__native_notes_begin();
    if (verso__native_foreign_now.first)
        note_changes();
    errno = now;
    if (verso__native_now.world != 0)
        end_repeated(verso__native_foreign_now.call, result, size);
    else
        verso__native_notes_keep(false);
}

void verso__native_foreign_forget(void) {
    verso__native_objects_free(&verso__native_foreign_now.objects);
    verso__native_objects_free(&verso__native_foreign_now.given);
    verso__dealloc(verso__native_foreign_now.copies);
    verso__native_variables_forget();
    memset(&verso__native_foreign_now, 0, sizeof verso__native_foreign_now);
    verso__native_arena_forget();
}
