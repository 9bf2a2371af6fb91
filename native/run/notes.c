/* Notes: the effect on numbers of calls into code that Verso does not see. See native/state.h.
 *
 * A foreign function may write anywhere (foreign.c), and numbers are written to files and read again (files.c).
 * What that means for derivatives is known only after the call, and takes any number of notes: this memory has
 * changed, parts of that memory have changed, these numbers are copies of those. The notes of a call are in the
 * log of the outside world (world.c): when a run is repeated, the call is not made again, and its notes are
 * read from there. In a single pass, the log contains nothing else. The tape holds only the position of the
 * notes; reverse code reads them from the last to the first. */
#include "native/run/inside.h"

#include "base/alloc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

verso__native_notes_state verso__native_notes_now;

enum { UNIT = 4 };

/* ---- Adding notes ---- */

void verso__native_notes_begin(void) {
    verso__native_notes_now.count = 0;
}

static void make_room(size_t count) {
    size_t room = verso__native_notes_now.room > 0 ? verso__native_notes_now.room : 16;
    int before = errno;
    while (room < count)
        room *= 2;
    if (room == verso__native_notes_now.room)
        return;
    verso__native_note *list = verso__realloc(verso__native_notes_now.list, room, sizeof *list);
    if (list == NULL)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY, "%s: no memory to note what it has changed",
                              verso__native_world_now.call->where);
    verso__native_notes_now.list = list;
    verso__native_notes_now.room = room;
    errno = before;
}

void verso__native_note_add(verso__native_note_kind kind, void *data, uint64_t size, void *from) {
    make_room(verso__native_notes_now.count + 1);
    verso__native_notes_now.list[verso__native_notes_now.count++] =
        (verso__native_note){.kind = kind, .size = size, .data = data, .from = from};
}

/* Logs, or restores, the contents of memory that a call has changed: the bytes for each note of that kind. */
static void keep_bytes(void) {
    for (size_t i = 0; i < verso__native_notes_now.count; i++) {
        const verso__native_note *note = &verso__native_notes_now.list[i];
        if (note->kind == VERSO_NATIVE_NOTE_CHANGED || note->kind == VERSO_NATIVE_NOTE_UNKNOWN)
            verso__native_world_data(note->data, note->size);
    }
}

void verso__native_notes_keep(bool with_bytes) {
    uint64_t count = verso__native_notes_now.count, at = verso__native_world_now.next;
    verso__native_world_now.noted = at;
    if (verso__native_now.world != 0 || count > 0) {
        verso__native_world_keep(&count, sizeof count);
        make_room((size_t)count + 1);
        verso__native_world_keep(verso__native_notes_now.list, count * sizeof *verso__native_notes_now.list);
        verso__native_notes_now.count = (size_t)count;
    }
    if (with_bytes && verso__native_now.world != 0)
        keep_bytes();
    verso__native_now.noted = count > 0 ? at + 1 : 0;
}

void verso__native_file_end(void) {
    verso__native_notes_keep(false);
}

void verso__native_notes_forget(void) {
    verso__dealloc(verso__native_notes_now.list);
    memset(&verso__native_notes_now, 0, sizeof verso__native_notes_now);
}

/* ---- Applying notes to derivatives ---- */

static char *first_unit(const void *data) {
    return verso__native_address((uintptr_t)data / UNIT * UNIT);
}

/* Clears the cells of changed memory. A number of which a part has changed counts as changed, also if it begins
 * before the memory. */
static void clear(const verso__native_note *note) {
    static const unsigned units[VERSO_NATIVE_KINDS] = {2, 1, 3, 1};
    char *first = first_unit(note->data), *end = note->data + note->size;
    if (verso__native_uses(VERSO_NATIVE_FLOAT) && first < end)
        verso__native_shadow_clear((char *)verso__native_float_cell(first),
                                   (char *)verso__native_float_cell(first + (end - first + UNIT - 1) / UNIT * UNIT));
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        for (uintptr_t residue = kind == VERSO_NATIVE_FLOAT ? 8 : 0; verso__native_uses(kind) && residue < 8;
             residue += UNIT) {
            char *number = first - (units[kind] - 1) * UNIT;
            number += ((uintptr_t)number % 8 != residue) * (size_t)UNIT;
            if (number >= end)
                continue;
            char *cells = (char *)verso__native_cell_of(number, (verso__native_kind)kind);
            verso__native_shadow_clear(cells, cells + ((size_t)(end - number) + 7) / 8 * 8);
        }
}

/* Sets a derivative that may have been overwritten to NaN. Returns true if there was a derivative. */
static bool spoil_one(char *unit, unsigned kind) {
    uint64_t bits;
    if (kind == VERSO_NATIVE_FLOAT) {
        float *single = verso__native_float_cell(unit);
        bool any = *single != 0;
        *single = any ? NAN : *single;
        return any;
    }
    double spoilt = NAN, *cell = verso__native_cell_of(unit, (verso__native_kind)kind);
    memcpy(&bits, cell, sizeof bits);
    if (bits << 1 != 0)
        memcpy(cell, &spoilt, sizeof spoilt);
    return bits << 1 != 0;
}

static bool spoil(const verso__native_note *note) {
    bool lost = false;
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        for (char *unit = first_unit(note->data); verso__native_uses(kind) && unit < note->data + note->size;
             unit += UNIT)
            lost = spoil_one(unit, kind) || lost;
    return lost;
}

/* Returns the index-th note of those at `noted`. */
static verso__native_note note_at(uint64_t noted, uint64_t index) {
    verso__native_note note;
    memcpy(&note, verso__native_world_now.bytes + noted - 1 + sizeof(uint64_t) + index * sizeof note, sizeof note);
    return note;
}

static uint64_t count_at(uint64_t noted) {
    uint64_t count = 0;
    if (noted > 0)
        memcpy(&count, verso__native_world_now.bytes + noted - 1, sizeof count);
    return count;
}

void verso__native_sweep_changed(uint64_t noted, const char *message) {
    for (uint64_t i = count_at(noted); i-- > 0;) {
        verso__native_note note = note_at(noted, i);
        switch (note.kind) {
        case VERSO_NATIVE_NOTE_CHANGED: clear(&note); break;
        case VERSO_NATIVE_NOTE_COPIED: verso__native_sweep_copy(note.data, note.from, note.size); break;
        case VERSO_NATIVE_NOTE_UNKNOWN:
            if (!spoil(&note))
                break;
            verso__native_parts_suspect(message);
            break;
        default: break;
        }
    }
}

void verso__native_tangent_changed(uint64_t noted) {
    for (uint64_t i = 0; i < count_at(noted); i++) {
        verso__native_note note = note_at(noted, i);
        switch (note.kind) {
        case VERSO_NATIVE_NOTE_CHANGED: clear(&note); break;
        case VERSO_NATIVE_NOTE_COPIED: verso__native_tangent_copy(note.data, note.from, note.size); break;
        case VERSO_NATIVE_NOTE_UNKNOWN: (void)spoil(&note); break;
        default: break;
        }
    }
}
