/* Records which state each slot of each tier holds according to the schedule, and whether it is really there. */
#include "base/alloc.h"
#include "base/wide.h"
#include "drive/inside.h"

#include <stdlib.h>

verso__slot *verso__slots_find(verso__drive *drive, uint32_t tier, uint64_t slot) {
    verso__tier_slots *slots = &drive->slots[tier];
    return slot < slots->capacity && slots->slots[slot].presence != VERSO_SLOT_EMPTY ? &slots->slots[slot] : NULL;
}

static verso_status grow(verso__tier_slots *slots, uint64_t slot, verso_error *error) {
    if (slot < slots->capacity)
        return VERSO_STATUS_OK;
    uint64_t capacity = slot < 8 ? 16 : verso__mul_u64(2, slot);
    verso__slot *grown = verso__realloc(slots->slots, capacity, sizeof *grown);
    if (grown == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to remember what %llu slots hold",
                           (unsigned long long)capacity);
    for (uint64_t i = slots->capacity; i < capacity; i++)
        grown[i] = (verso__slot){0};
    slots->slots = grown;
    slots->capacity = capacity;
    return VERSO_STATUS_OK;
}

verso_status verso__slots_set(verso__drive *drive, const verso__live *live, verso__presence presence,
                              verso_error *error) {
    verso__tier_slots *slots = &drive->slots[live->tier];
    verso_status status = grow(slots, live->slot, error);
    if (status != VERSO_STATUS_OK)
        return status;
    slots->slots[live->slot].from = live->from;
    slots->slots[live->slot].to = live->to;
    verso__slots_mark(drive, live->tier, live->slot, presence);
    return VERSO_STATUS_OK;
}

void verso__slots_mark(verso__drive *drive, uint32_t tier, uint64_t slot, verso__presence presence) {
    verso__tier_slots *slots = &drive->slots[tier];
    verso__presence before = slots->slots[slot].presence;
    slots->used += (size_t)(presence != VERSO_SLOT_EMPTY) - (size_t)(before != VERSO_SLOT_EMPTY);
    slots->missing += (size_t)(presence == VERSO_SLOT_MISSING) - (size_t)(before == VERSO_SLOT_MISSING);
    slots->slots[slot].presence = presence;
}

static verso__live describe(const verso__drive *drive, size_t tier, size_t slot) {
    const verso__slot *held = &drive->slots[tier].slots[slot];
    return (verso__live){(uint32_t)tier, slot, held->from, held->to};
}

/* Lists the slots whose presence is in the bit set `wanted` and for which after < from <= until; `after` =
 * VERSO_UNKNOWN: no lower limit. There are at most `most` of them. */
static verso_status collect(const verso__drive *drive, unsigned wanted, uint64_t after, uint64_t until, size_t most,
                            verso__live **live, size_t *count, verso_error *error) {
    *count = 0;
    *live = verso__alloc(most, sizeof **live);
    if (*live == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a list of %zu slots", most);
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        for (size_t slot = 0; slot < drive->slots[tier].capacity; slot++) {
            const verso__slot *held = &drive->slots[tier].slots[slot];
            if ((wanted >> held->presence & 1) != 0 && held->from <= until &&
                (after == VERSO_UNKNOWN || held->from > after))
                (*live)[(*count)++] = describe(drive, tier, slot);
        }
    }
    return VERSO_STATUS_OK;
}

verso_status verso__slots_list(const verso__drive *drive, verso__live **live, size_t *count, verso_error *error) {
    size_t most = 0;
    for (size_t tier = 0; tier < drive->tier_count; tier++)
        most += drive->slots[tier].used;
    return collect(drive, 1U << VERSO_SLOT_PRESENT | 1U << VERSO_SLOT_MISSING, VERSO_UNKNOWN, VERSO_UNKNOWN, most, live,
                   count, error);
}

static int by_step(const void *left, const void *right) {
    const verso__live *a = left, *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

verso_status verso__slots_missing(const verso__drive *drive, uint64_t after, uint64_t until, verso__live **live,
                                  size_t *count, verso_error *error) {
    size_t most = 0;
    for (size_t tier = 0; tier < drive->tier_count; tier++)
        most += drive->slots[tier].missing;
    *live = NULL;
    *count = 0;
    if (most == 0)
        return VERSO_STATUS_OK;
    verso_status status = collect(drive, 1U << VERSO_SLOT_MISSING, after, until, most, live, count, error);
    if (status == VERSO_STATUS_OK)
        qsort(*live, *count, sizeof **live, by_step);
    return status;
}

void verso__slots_lose(verso__drive *drive, uint64_t step) {
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        const verso__tier_slots *slots = &drive->slots[tier];
        for (size_t slot = 0; drive->tiers[tier] == &drive->vault.store && slot < slots->capacity; slot++)
            if (slots->slots[slot].presence == VERSO_SLOT_PRESENT && slots->slots[slot].from == step)
                verso__slots_mark(drive, (uint32_t)tier, slot, VERSO_SLOT_MISSING);
    }
}

bool verso__slots_is_missing(const verso__drive *drive, uint64_t step) {
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        const verso__tier_slots *slots = &drive->slots[tier];
        for (size_t slot = 0; slots->missing > 0 && slot < slots->capacity; slot++)
            if (slots->slots[slot].presence == VERSO_SLOT_MISSING && slots->slots[slot].from == step)
                return true;
    }
    return false;
}

bool verso__slots_highest(const verso__drive *drive, uint64_t limit, verso__live *found) {
    bool any = false;
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        if (drive->tiers[tier] == &drive->vault.store)
            continue;
        for (size_t slot = 0; slot < drive->slots[tier].capacity; slot++) {
            const verso__slot *held = &drive->slots[tier].slots[slot];
            if (held->presence == VERSO_SLOT_PRESENT && held->from <= limit && (!any || held->from > found->from)) {
                *found = describe(drive, tier, slot);
                any = true;
            }
        }
    }
    return any;
}

void verso__slots_free(verso__drive *drive) {
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
        verso__dealloc(drive->slots[tier].slots);
}
