/* See held.h. A capsule is written directly to its slot, which is a root and therefore updated by the collector. */
#include "vlad/held.h"

#include "base/alloc.h"
#include "base/status.h"

static bool holds(const vlad_held *held, const verso_capsule_name *name) {
    return name->kind == VERSO_CAPSULE_STATE && name->slot < held->room && held->steps[name->slot] == name->step &&
           held->slots[name->slot] != VLAD_NOTHING;
}

static verso_status none(const verso_capsule_name *name, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_STATE, "slot %llu does not hold the state of step %llu",
                       (unsigned long long)name->slot, (unsigned long long)name->step);
}

static bool grow(vlad_held *held, uint64_t slot) {
    size_t room = held->room == 0 ? 16 : 2 * held->room;
    room = slot >= room ? (size_t)slot + 1 : room;
    uint64_t more = room * (sizeof *held->slots + sizeof *held->steps) - held->taken;
    if (!vlad_heap_take(held->heap, more))
        return false;
    held->taken += more;
    vlad_value *slots = verso__realloc(held->slots, room, sizeof *slots);
    if (slots == NULL)
        return false;
    held->roots.values = held->slots = slots;
    uint64_t *steps = verso__realloc(held->steps, room, sizeof *steps);
    if (steps == NULL)
        return false;
    held->steps = steps;
    for (size_t i = held->room; i < room; i++)
        slots[i] = VLAD_NOTHING;
    held->roots.count = held->room = room;
    return true;
}

static verso_status reserve(void *self, const verso_capsule_name *name, size_t size, void **bytes, verso_error *error) {
    vlad_held *held = self;
    if (name->kind != VERSO_CAPSULE_STATE || size != sizeof(vlad_value))
        return verso__fail(error, VERSO_STATUS_INVALID, "not a capsule of one word");
    if (name->slot >= held->room && (name->slot > SIZE_MAX / 64 || !grow(held, name->slot)))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for %llu capsules",
                           (unsigned long long)name->slot + 1);
    held->steps[name->slot] = name->step;
    *bytes = &held->slots[name->slot];
    return VERSO_STATUS_OK;
}

static verso_status commit(void *self, const verso_capsule_name *name, verso_error *error) {
    vlad_held *held = self;
    if (!holds(held, name))
        return none(name, error);
    held->now++;
    held->writes++;
    held->most = held->now > held->most ? held->now : held->most;
    return VERSO_STATUS_OK;
}

static void cancel(void *self, const verso_capsule_name *name) {
    vlad_held *held = self;
    if (name->slot < held->room)
        held->slots[name->slot] = VLAD_NOTHING;
}

static verso_status borrow(void *self, const verso_capsule_name *name, const void **bytes, size_t *size,
                           verso_error *error) {
    vlad_held *held = self;
    if (!holds(held, name))
        return none(name, error);
    held->reads++;
    *bytes = &held->slots[name->slot];
    *size = sizeof(vlad_value);
    return VERSO_STATUS_OK;
}

static void release(void *self, const verso_capsule_name *name) {
    (void)self, (void)name;
}

static verso_status discard(void *self, const verso_capsule_name *name, verso_error *error) {
    vlad_held *held = self;
    if (!holds(held, name))
        return none(name, error);
    held->slots[name->slot] = VLAD_NOTHING;
    held->now--;
    return VERSO_STATUS_OK;
}

static void usage(void *self, verso_store_usage *usage) {
    const vlad_held *held = self;
    *usage = (verso_store_usage){.memory = held->now * sizeof(vlad_value),
                                 .memory_peak = held->most * sizeof(vlad_value),
                                 .bytes = held->now * sizeof(vlad_value),
                                 .bytes_peak = held->most * sizeof(vlad_value),
                                 .writes = held->writes,
                                 .reads = held->reads};
}

static void close_store(void *self) {
    (void)self; /* vlad_held_close closes it */
}

static const verso_store_operations operations = {.reserve = reserve,
                                                  .commit = commit,
                                                  .cancel = cancel,
                                                  .borrow = borrow,
                                                  .release = release,
                                                  .discard = discard,
                                                  .usage = usage,
                                                  .close = close_store};

void vlad_held_open(vlad_held *held, vlad_heap *heap) {
    *held = (vlad_held){.heap = heap};
    held->store = (verso_store){.operations = &operations, .self = held};
    vlad_heap_root(heap, &held->roots);
}

void vlad_held_clear(vlad_held *held) {
    for (size_t i = 0; i < held->room; i++)
        held->slots[i] = VLAD_NOTHING;
    held->now = 0;
}

void vlad_held_close(vlad_held *held) {
    vlad_heap_unroot(held->heap, &held->roots);
    vlad_heap_give_back(held->heap, held->taken);
    verso__dealloc(held->slots);
    verso__dealloc(held->steps);
    *held = (vlad_held){0};
}
