/* See cotangents.h. The table uses open addressing. When an entry is removed, later entries move up into the gap,
 * so that no deleted-entry marks are needed. Terms are added in the same order as by a sweep over the whole run,
 * so the results do not depend on where the run is divided. */
#include "vlad/cotangents.h"

#include "base/alloc.h"

#define FREE UINT64_MAX

enum { LARGE = 4 << 20 }; /* bytes */

/* ---- Memory, which counts against the heap's limit ---- */

static uint64_t table_size(const vlad_cotangents *c) {
    return c->room * (sizeof *c->keys + sizeof *c->values);
}

static void drop_table(vlad_cotangents *c) {
    vlad_heap_give_back(c->numbers->heap, table_size(c));
    verso__dealloc(c->keys);
    verso__dealloc(c->values);
}

static void drop_stretch(vlad_cotangents *c) {
    vlad_heap_give_back(c->numbers->heap, c->stretch_room * sizeof *c->stretch);
    verso__block_free(c->stretch, c->stretch_room * sizeof *c->stretch);
    c->stretch = NULL;
    c->stretch_room = 0;
}

static bool make_stretch(vlad_cotangents *c, size_t room) {
    if (!vlad_heap_take(c->numbers->heap, room * sizeof *c->stretch))
        return false;
    c->stretch = room <= SIZE_MAX / sizeof *c->stretch ? verso__block_new(room * sizeof *c->stretch) : NULL;
    c->stretch_room = room;
    if (room * sizeof *c->stretch >= LARGE)
        verso__block_fill(c->stretch, room * sizeof *c->stretch);
    if (c->stretch == NULL)
        drop_stretch(c);
    return c->stretch != NULL;
}

void vlad_cotangents_open(vlad_cotangents *cotangents, vlad_numbers *numbers) {
    *cotangents = (vlad_cotangents){.numbers = numbers, .first = UINT64_MAX, .end = UINT64_MAX};
    vlad_heap_root(numbers->heap, &cotangents->roots);
}

void vlad_cotangents_close(vlad_cotangents *cotangents) {
    vlad_heap_unroot(cotangents->numbers->heap, &cotangents->roots);
    drop_stretch(cotangents);
    drop_table(cotangents);
    *cotangents = (vlad_cotangents){0};
}

/* ---- The table ---- */

static size_t home(const vlad_cotangents *c, uint64_t number) {
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (c->room - 1);
}

static size_t find(const vlad_cotangents *c, uint64_t number) {
    size_t at = home(c, number);
    while (c->keys[at] != FREE && c->keys[at] != number)
        at = (at + 1) & (c->room - 1);
    return at;
}

static bool grow(vlad_cotangents *c) {
    vlad_cotangents larger = *c;
    larger.room = c->room == 0 ? 64 : 2 * c->room;
    if (!vlad_heap_take(c->numbers->heap, table_size(&larger)))
        return false;
    larger.keys = verso__alloc(larger.room, sizeof *larger.keys);
    larger.values = verso__alloc(larger.room, sizeof *larger.values);
    if (larger.keys == NULL || larger.values == NULL) {
        drop_table(&larger);
        return false;
    }
    for (size_t i = 0; i < larger.room; i++)
        larger.keys[i] = FREE;
    for (size_t i = 0; i < c->room; i++)
        if (c->keys[i] != FREE) {
            size_t at = find(&larger, c->keys[i]);
            larger.keys[at] = c->keys[i];
            larger.values[at] = c->values[i];
        }
    drop_table(c);
    c->keys = larger.keys;
    c->values = larger.values;
    c->room = larger.room;
    c->roots.values = c->values;
    c->roots.count = c->room;
    return true;
}

/* Removes an entry, and moves up the entries after it that could no longer be found. */
static vlad_value take(vlad_cotangents *c, uint64_t number) {
    if (c->used == 0)
        return VLAD_NOTHING;
    size_t hole = find(c, number);
    if (c->keys[hole] == FREE)
        return VLAD_NOTHING;
    vlad_value value = c->values[hole];
    for (size_t at = (hole + 1) & (c->room - 1); c->keys[at] != FREE; at = (at + 1) & (c->room - 1)) {
        size_t wanted = home(c, c->keys[at]);
        if (((at - wanted) & (c->room - 1)) < ((at - hole) & (c->room - 1)))
            continue;
        c->keys[hole] = c->keys[at];
        c->values[hole] = c->values[at];
        hole = at;
    }
    c->keys[hole] = FREE;
    c->values[hole] = 0;
    c->used--;
    return value;
}

/* ---- The stretch ---- */

/* Moves the cotangents of the stretch out of a table that is smaller. Removing an entry may move a later one to its
 * place, but none to a place before it that was not there already. */
static void take_range(vlad_cotangents *c) {
    for (size_t i = 0; i < c->room && c->used > 0; i++)
        while (c->keys[i] != FREE && c->keys[i] - c->first < c->end - c->first) {
            uint64_t number = c->keys[i];
            c->stretch[number - c->first] = take(c, number);
        }
}

bool vlad_cotangents_turn(vlad_cotangents *c, uint64_t first, uint64_t end) {
    size_t count = (size_t)(end - first);
    if (count > c->stretch_room) {
        drop_stretch(c);
        if (!make_stretch(c, count + count / 8) && !make_stretch(c, count))
            return false;
    }
    c->first = first;
    c->end = end;
    for (size_t i = 0; i < count; i++)
        c->stretch[i] = VLAD_NOTHING;
    if (c->room <= count)
        take_range(c);
    else
        for (size_t i = 0; i < count; i++)
            c->stretch[i] = take(c, first + i);
    return true;
}

/* Returns the location of a cotangent, which is VLAD_NOTHING if it is new; NULL if there is no memory. */
static vlad_value *place(vlad_cotangents *c, uint64_t number) {
    if (number - c->first < c->end - c->first)
        return &c->stretch[number - c->first];
    if (2 * c->used >= c->room && !grow(c))
        return NULL;
    size_t at = find(c, number);
    if (c->keys[at] == FREE) {
        c->keys[at] = number;
        c->values[at] = VLAD_NOTHING;
        c->used++;
    }
    return &c->values[at];
}

bool vlad_cotangents_add(vlad_cotangents *c, uint64_t number, vlad_value term) {
    vlad_value *at = place(c, number);
    if (at == NULL)
        return false;
    *at = *at == VLAD_NOTHING ? term : vlad_number_binary(c->numbers, VLAD_PLUS, *at, term);
    return *at != VLAD_NOTHING;
}

vlad_value vlad_cotangents_of(const vlad_cotangents *c, uint64_t number) {
    return number - c->first < c->end - c->first ? c->stretch[number - c->first] : VLAD_NOTHING;
}

vlad_value vlad_cotangents_save(const vlad_cotangents *c) {
    vlad_object *table = vlad_make(c->numbers->heap, VLAD_TABLE, 2 * (uint64_t)c->used);
    uint64_t next = 0;
    if (table == NULL)
        return VLAD_NOTHING;
    for (size_t i = 0; i < c->room; i++)
        if (c->keys[i] != FREE) {
            table->field[next++] = c->keys[i];
            table->field[next++] = c->values[i];
        }
    return vlad_value_of(table);
}

bool vlad_cotangents_load(vlad_cotangents *c, vlad_value table) {
    const vlad_object *object = table == VLAD_NULL ? NULL : vlad_object_of(table);
    bool added = true;
    for (uint64_t i = 0; added && object != NULL && i + 1 < vlad_fields_of(object); i += 2)
        added = vlad_cotangents_add(c, object->field[i], object->field[i + 1]);
    return added;
}

void vlad_cotangents_clear(vlad_cotangents *c) {
    for (size_t i = 0; i < c->room; i++) {
        c->keys[i] = FREE;
        c->values[i] = 0;
    }
    c->used = 0;
    c->first = c->end = UINT64_MAX;
}

/* Adds the term of one operand: the cotangent times the partial derivative. */
static bool add_term(vlad_cotangents *c, uint64_t operand, vlad_value cotangent, vlad_value partial) {
    vlad_value *at = operand - c->first < c->end - c->first ? &c->stretch[operand - c->first] : NULL;
    if (at != NULL && vlad_is_plain(cotangent) && vlad_is_plain(partial) &&
        (vlad_is_plain(*at) || *at == VLAD_NOTHING)) {
        double term = vlad_plain(cotangent) * vlad_plain(partial); /* times 1 is exact */
        *at = vlad_number(*at == VLAD_NOTHING ? term : vlad_plain(*at) + term);
        return true;
    }
    vlad_value term =
        partial == vlad_number(1) ? cotangent : vlad_number_binary(c->numbers, VLAD_TIMES, cotangent, partial);
    return term != VLAD_NOTHING && vlad_cotangents_add(c, operand, term);
}

bool vlad_cotangents_sweep(vlad_cotangents *c, uint32_t level) {
    vlad_entry entry;
    /* Stops at c->first: the arithmetic of this loop may add entries if a capsule from outside claims that it
     * records. */
    for (uint64_t number = c->end; number > c->first && vlad_level_entry(c->numbers, level, &entry);) {
        vlad_value cotangent = c->stretch[--number - c->first];
        if (cotangent == VLAD_NOTHING || cotangent == vlad_number(0))
            continue;
        for (int i = 0; i < 2; i++)
            if (entry.operand[i] != UINT64_MAX && !add_term(c, entry.operand[i], cotangent, entry.partial[i]))
                return false;
    }
    return true;
}
