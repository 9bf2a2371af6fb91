/* Handles that are addresses in a library. See handles.h.
 *
 * The handle of the n-th object becomes a NaN with n in its last 24 bits. Handles are recognised by their value, at
 * multiples of 8. */
#include "native/run/handles.h"

#include "base/alloc.h"
#include "base/checksum.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), NUMBER_BITS = 24, ROOM_AT_FIRST = 64, PIECE = 4096 };
#define MARK UINT64_C(0x7ff4d50495)
#define NUMBER_MOST ((UINT64_C(1) << NUMBER_BITS) - 1)

static struct {
    bool on;
    uint64_t *values; /* by number */
    size_t count, room;
    uint64_t least, greatest; /* of the values */
    uint32_t *places;         /* a hash table of numbers + 1, by value; twice as long as `values` */
} handles;

static size_t place_of(uint64_t value) {
    size_t room = 2 * handles.room, at = (size_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 32) % room;
    while (handles.places[at] != 0 && handles.values[handles.places[at] - 1] != value)
        at = (at + 1) % room;
    return at;
}

static void put(size_t number) {
    handles.places[place_of(handles.values[number])] = (uint32_t)number + 1;
}

/* Without memory for a longer table, the handle is not known, and a run that is continued is refused. */
static bool make_room(void) {
    if (handles.count < handles.room)
        return true;
    size_t room = handles.room == 0 ? ROOM_AT_FIRST : 2 * handles.room;
    uint32_t *places = verso__alloc(2 * room, sizeof *places);
    uint64_t *values = places == NULL ? NULL : verso__realloc(handles.values, room, sizeof *values);
    if (values == NULL) {
        verso__dealloc(places);
        return false;
    }
    memset(places, 0, 2 * room * sizeof *places);
    verso__dealloc(handles.places);
    handles.values = values;
    handles.places = places;
    handles.room = room;
    for (size_t i = 0; i < handles.count; i++)
        put(i);
    return true;
}

void verso__native_handles_add(const void *handle) {
    uint64_t value = (uintptr_t)handle;
    if (value == 0 || handles.count > NUMBER_MOST || !make_room())
        return;
    handles.least = handles.count == 0 || value < handles.least ? value : handles.least;
    handles.greatest = value > handles.greatest ? value : handles.greatest;
    handles.values[handles.count] = value;
    put(handles.count++);
}

void verso__native_handles_use(bool on) {
    handles.on = on;
}

static bool is_used(void) {
    return handles.on && handles.count > 0;
}

/* Returns how far the first word after `memory` is. */
static size_t first_word(const char *memory) {
    return (size_t)(-(uintptr_t)memory % WORD);
}

void verso__native_handles_hide(const char *memory, char *copy, size_t size) {
    if (!is_used())
        return;
    for (size_t at = first_word(memory); at + WORD <= size; at += WORD) {
        uint64_t value;
        memcpy(&value, copy + at, sizeof value);
        if (value < handles.least || value > handles.greatest)
            continue;
        uint32_t number = handles.places[place_of(value)];
        value = MARK << NUMBER_BITS | (uint64_t)(number - 1);
        if (number != 0)
            memcpy(copy + at, &value, sizeof value);
    }
}

void verso__native_handles_show(char *memory, size_t size) {
    if (!is_used())
        return;
    for (size_t at = first_word(memory); at + WORD <= size; at += WORD) {
        uint64_t value;
        memcpy(&value, memory + at, sizeof value);
        if (value >> NUMBER_BITS == MARK && (value & NUMBER_MOST) < handles.count)
            memcpy(memory + at, &handles.values[value & NUMBER_MOST], sizeof value);
    }
}

uint64_t verso__native_handles_checksum(const char *memory, size_t size) {
    char copy[PIECE];
    verso_identity sum = {{0}};
    if (!is_used())
        return size == 0 ? 0 : verso__checksum(memory, size);
    for (size_t at = 0; at < size; at += PIECE) {
        size_t part = size - at < PIECE ? size - at : PIECE;
        memcpy(copy, memory + at, part);
        verso__native_handles_hide(memory + at, copy, part);
        sum = verso__checksum_chain(sum, copy, part);
    }
    return sum.words[0];
}
