/* The memory store: capsules in memory. Each kind of capsule has an array of slots, and a capsule is found by the
 * index of its slot, because a schedule of single loop iterations stores and restores millions of small capsules,
 * each of which should take only tens of nanoseconds.
 *
 *  1. A slot is empty, reserved, held or lent. Each call checks that the slot has the required state and the step
 *     that the caller names, and else returns VERSO_STATUS_STATE.
 *  2. The pool enforces the budget. The slots themselves (a few words each) do not count.
 *  3. No function here reads a clock, because no call waits. */
#include "base/alloc.h"
#include "base/status.h"
#include "store/name.h"
#include "store/pool.h"

#include <inttypes.h>
#include <string.h>
#include <verso/store.h>

typedef enum slot_state { SLOT_EMPTY, SLOT_RESERVED, SLOT_HELD, SLOT_LENT } slot_state;

typedef struct slot {
    slot_state state;
    uint64_t step;
    verso__buffer *buffer;
} slot;

typedef struct memory_store {
    verso__pool pool;
    slot *slots[VERSO_CAPSULE_KINDS];
    size_t counts[VERSO_CAPSULE_KINDS];
    uint64_t bytes, bytes_peak; /* bytes of held capsules */
    uint64_t writes, reads;
} memory_store;

/* ---- Slots ---- */

/* Returns the slot if it has this state and step, else NULL. */
static slot *find(const memory_store *store, const verso_capsule_name *name, slot_state state) {
    if (!verso__capsule_known(name->kind) || name->slot >= store->counts[name->kind])
        return NULL;
    slot *found = &store->slots[name->kind][name->slot];
    return found->state == state && found->step == name->step ? found : NULL;
}

static const char *state_text(slot_state state) {
    switch (state) {
    case SLOT_EMPTY: return "is empty";
    case SLOT_RESERVED: return "is reserved for";
    case SLOT_HELD: return "holds";
    case SLOT_LENT: return "has lent";
    }
    return "";
}

static verso_status out_of_order(const memory_store *store, const verso_capsule_name *name, const char *call,
                                 verso_error *error) {
    if (!verso__capsule_known(name->kind))
        return verso__fail(error, VERSO_STATUS_INVALID, "cannot %s a capsule of kind %d: the kind is unknown", call,
                           (int)name->kind);
    slot none = {0};
    const slot *found = name->slot < store->counts[name->kind] ? &store->slots[name->kind][name->slot] : &none;
    if (found->state == SLOT_EMPTY)
        return verso__fail(error, VERSO_STATUS_STATE, "cannot %s %s %" PRIu64 ": slot %" PRIu64 " is empty", call,
                           verso__capsule_word(name->kind), name->step, name->slot);
    return verso__fail(error, VERSO_STATUS_STATE, "cannot %s %s %" PRIu64 ": slot %" PRIu64 " %s %s %" PRIu64, call,
                       verso__capsule_word(name->kind), name->step, name->slot, state_text(found->state),
                       verso__capsule_word(name->kind), found->step);
}

static verso_status grow(memory_store *store, const verso_capsule_name *name, verso_error *error) {
    size_t count = store->counts[name->kind];
    size_t wanted = count < 8 ? 16 : 2 * count;
    if (wanted <= name->slot)
        wanted = name->slot < SIZE_MAX / 2 ? (size_t)name->slot + 1 : SIZE_MAX;
    slot *longer = verso__realloc(store->slots[name->kind], wanted, sizeof *longer);
    if (longer == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for %" PRIu64 " slots of capsules",
                           name->slot + 1);
    memset(longer + count, 0, (wanted - count) * sizeof *longer);
    store->slots[name->kind] = longer;
    store->counts[name->kind] = wanted;
    return VERSO_STATUS_OK;
}

/* ---- The operations ---- */

static verso_status refuse(const memory_store *store, size_t size, bool full, verso_error *error) {
    if (!full)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule of %zu bytes", size);
    return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                       "a capsule of %zu bytes beside %" PRIu64 " bytes that are held exceeds the budget of %" PRIu64
                       " bytes; give at least %" PRIu64 " bytes, or use fewer slots",
                       size, store->pool.in_use, store->pool.limit, verso__pool_least(&store->pool, size));
}

static verso_status memory_reserve(void *self, const verso_capsule_name *name, size_t size, void **bytes,
                                   verso_error *error) {
    memory_store *store = self;
    if (!verso__capsule_known(name->kind))
        return out_of_order(store, name, "reserve", error);
    if (name->slot >= store->counts[name->kind]) {
        verso_status status = grow(store, name, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    slot *place = &store->slots[name->kind][name->slot];
    if (place->state != SLOT_EMPTY)
        return out_of_order(store, name, "reserve", error);
    bool full;
    verso__buffer *buffer = verso__pool_take(&store->pool, size, &full);
    if (buffer == NULL)
        return refuse(store, size, full, error);
    *place = (slot){SLOT_RESERVED, name->step, buffer};
    *bytes = buffer->bytes;
    return VERSO_STATUS_OK;
}

static verso_status memory_commit(void *self, const verso_capsule_name *name, verso_error *error) {
    memory_store *store = self;
    slot *place = find(store, name, SLOT_RESERVED);
    if (place == NULL)
        return out_of_order(store, name, "commit", error);
    place->state = SLOT_HELD;
    store->writes++;
    store->bytes += place->buffer->size;
    if (store->bytes > store->bytes_peak)
        store->bytes_peak = store->bytes;
    return VERSO_STATUS_OK;
}

static void empty_slot(memory_store *store, slot *place) {
    verso__pool_give(&store->pool, place->buffer);
    *place = (slot){0};
}

static void memory_cancel(void *self, const verso_capsule_name *name) {
    memory_store *store = self;
    slot *place = find(store, name, SLOT_RESERVED);
    if (place != NULL)
        empty_slot(store, place);
}

static verso_status memory_borrow(void *self, const verso_capsule_name *name, const void **bytes, size_t *size,
                                  verso_error *error) {
    memory_store *store = self;
    slot *place = find(store, name, SLOT_HELD);
    if (place == NULL)
        return out_of_order(store, name, "borrow", error);
    place->state = SLOT_LENT;
    store->reads++;
    *bytes = place->buffer->bytes;
    *size = place->buffer->size;
    return VERSO_STATUS_OK;
}

static void memory_release(void *self, const verso_capsule_name *name) {
    slot *place = find(self, name, SLOT_LENT);
    if (place != NULL)
        place->state = SLOT_HELD;
}

static verso_status memory_discard(void *self, const verso_capsule_name *name, verso_error *error) {
    memory_store *store = self;
    slot *place = find(store, name, SLOT_HELD);
    if (place == NULL)
        return out_of_order(store, name, "discard", error);
    store->bytes -= place->buffer->size;
    empty_slot(store, place);
    return VERSO_STATUS_OK;
}

static void memory_usage(void *self, verso_store_usage *usage) {
    const memory_store *store = self;
    *usage = (verso_store_usage){
        .memory = store->pool.in_use + store->pool.idle,
        .memory_peak = store->pool.peak,
        .bytes = store->bytes,
        .bytes_peak = store->bytes_peak,
        .writes = store->writes,
        .reads = store->reads,
    };
}

static void memory_close(void *self) {
    memory_store *store = self;
    for (size_t kind = 0; kind < VERSO_CAPSULE_KINDS; kind++) {
        for (size_t i = 0; i < store->counts[kind]; i++)
            if (store->slots[kind][i].state != SLOT_EMPTY)
                empty_slot(store, &store->slots[kind][i]);
        verso__dealloc(store->slots[kind]);
    }
    verso__pool_empty(&store->pool);
    verso__dealloc(store);
}

static const verso_store_operations memory_operations = {
    .reserve = memory_reserve,
    .commit = memory_commit,
    .cancel = memory_cancel,
    .borrow = memory_borrow,
    .release = memory_release,
    .discard = memory_discard,
    .usage = memory_usage,
    .close = memory_close,
};

verso_status verso_store_memory_open(uint64_t budget, verso_store *store, verso_error *error) {
    *store = (verso_store){0};
    memory_store *made = verso__alloc(1, sizeof *made);
    if (made == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a store of capsules");
    made->pool.limit = budget;
    *store = (verso_store){.operations = &memory_operations, .self = made};
    return VERSO_STATUS_OK;
}
