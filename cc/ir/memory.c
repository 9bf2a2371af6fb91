/* Memory of all passes: one region that only grows and is freed as a whole, and a map from pointers to numbers in
 * it.
 *
 * A transformation takes seconds and uses most of its memory until the end, so passes free nothing, except large
 * analyses whose results are elsewhere, which have a region of their own. If memory runs out, cc_give_up unwinds to
 * cc_transform. */
#include "base/alloc.h"
#include "cc/ir/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 18, LARGE_BYTES = BLOCK_BYTES / 4, ALIGNMENT = 16 };

typedef struct block {
    struct block *before;
    _Alignas(ALIGNMENT) char bytes[];
} block;

struct cc_region {
    cc_region *around; /* the region that was current before; NULL: none */
    block *blocks;
    char *free;  /* next free byte in the newest block of ordinary size */
    size_t left; /* free bytes in that block */
};

void cc_region_begin(cc_unit *unit) {
    cc_region *made = verso__alloc(1, sizeof *made);
    if (made == NULL)
        cc_give_up(unit, VERSO_STATUS_NO_MEMORY, "there is no memory for the transformation of the program");
    made->around = unit->region;
    unit->region = made;
}

static void *new_block(cc_unit *unit, size_t bytes) {
    block *made = verso__alloc(1, sizeof(block) + bytes);
    if (made == NULL)
        cc_give_up(unit, VERSO_STATUS_NO_MEMORY, "there is no memory for the transformation of the program");
    made->before = unit->region->blocks;
    unit->region->blocks = made;
    return made->bytes;
}

void *cc_alloc(cc_unit *unit, size_t count, size_t size) {
    if (unit->region == NULL)
        cc_region_begin(unit);
    if (size > 0 && count > (SIZE_MAX / 2) / size)
        cc_give_up(unit, VERSO_STATUS_NO_MEMORY, "the program is too large to be transformed");
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes >= LARGE_BYTES)
        return new_block(unit, bytes);
    cc_region *region = unit->region;
    if (bytes > region->left) {
        region->free = new_block(unit, BLOCK_BYTES);
        region->left = BLOCK_BYTES;
    }
    void *memory = region->free;
    region->free += bytes;
    region->left -= bytes;
    return memory;
}

void cc_reserve(cc_unit *unit, void *array, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity)
        return;
    size_t wanted = *capacity < 8 ? 8 : *capacity * 2;
    if (wanted < needed)
        wanted = needed;
    void *grown = cc_alloc(unit, wanted, size);
    void *old;
    memcpy(&old, array, sizeof old); /* `array` points to a pointer of any type */
    if (*capacity > 0)
        memcpy(grown, old, *capacity * size);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
}

char *cc_print(cc_unit *unit, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t bytes = length < 0 ? 1 : (size_t)length + 1;
    char *text = cc_alloc(unit, bytes, 1);
    if (length >= 0)
        vsnprintf(text, bytes, format, again);
    va_end(again);
    return text;
}

void cc_region_end(cc_unit *unit) {
    cc_region *ended = unit->region;
    unit->region = ended->around;
    for (block *next, *at = ended->blocks; at != NULL; at = next) {
        next = at->before;
        verso__dealloc(at);
    }
    verso__dealloc(ended);
}

void cc_forget_regions(cc_unit *unit) {
    while (unit->region != NULL)
        cc_region_end(unit);
}

/* ---- The map: open addressing; the capacity is a power of two, and at most three quarters of it is used ---- */

static size_t place_of(const cc_map *map, const void *key) {
    uint64_t mixed = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    size_t mask = map->capacity - 1;
    size_t place = (size_t)(mixed >> 32) & mask;
    while (map->keys[place] != NULL && map->keys[place] != key)
        place = (place + 1) & mask;
    return place;
}

static void grow(cc_unit *unit, cc_map *map) {
    cc_map larger = {.capacity = map->capacity == 0 ? 16 : map->capacity * 2, .count = map->count};
    larger.keys = cc_alloc(unit, larger.capacity, sizeof *larger.keys);
    larger.values = cc_alloc(unit, larger.capacity, sizeof *larger.values);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->keys[i] == NULL)
            continue;
        size_t place = place_of(&larger, map->keys[i]);
        larger.keys[place] = map->keys[i];
        larger.values[place] = map->values[i];
    }
    *map = larger;
}

void cc_map_put(cc_unit *unit, cc_map *map, const void *key, size_t value) {
    if ((map->count + 1) * 4 > map->capacity * 3)
        grow(unit, map);
    size_t place = place_of(map, key);
    if (map->keys[place] == NULL) {
        map->keys[place] = key;
        map->count++;
    }
    map->values[place] = value;
}

ptrdiff_t cc_map_get(const cc_map *map, const void *key) {
    if (map->capacity == 0)
        return CC_NOT_FOUND;
    size_t place = place_of(map, key);
    return map->keys[place] == NULL ? CC_NOT_FOUND : (ptrdiff_t)map->values[place];
}
