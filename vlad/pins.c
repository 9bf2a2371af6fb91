/* See pins.h. Sets of objects in a block are words of bits. In front of each object is the address of its block. */
#include "vlad/pins.h"

#include "base/alloc.h"

/* Objects in a block: few at first, more in a heap that is large. A block with more than LARGE has its own pages. */
enum { FEW = 8, LARGE = 60 };
static const struct {
    uint64_t from, count; /* bytes of the heap; objects */
} sizes[] = {{0, FEW}, {2 << 20, LARGE}, {16 << 20, 1000}, {64 << 20, 8000}};
enum { SIZES = sizeof sizes / sizeof *sizes, LIMIT_PART = 64, BITS = 64 };

typedef struct pin {
    vlad_pins *block;
    uint64_t header;
    vlad_value field[VLAD_PINNED_FIELDS];
} pin;

struct vlad_pins {
    vlad_pins *next;
    uint64_t count, used; /* objects; those that were ever taken, from the first on */
    uint64_t pending;     /* number of objects in `pendings` */
    uint64_t *live;       /* set: in use, as far as the current or last collection knows */
    uint64_t *pendings;   /* set: of these, fields not moved yet */
    uint64_t *mixed;      /* set: any field may be an object */
    bool fresh;           /* its memory is zero where it is unused */
    pin pins[];
};

static pin *pin_of(vlad_object *object) {
    return (pin *)(void *)((char *)object - offsetof(pin, header));
}

static uint64_t index_of(const pin *pin) {
    return (uint64_t)(pin - pin->block->pins);
}

static bool has(const uint64_t *set, uint64_t i) {
    return (set[i / BITS] >> i % BITS & 1) != 0;
}

static void put(uint64_t *set, uint64_t i) {
    set[i / BITS] |= UINT64_C(1) << i % BITS;
}

static size_t words_of(uint64_t count) {
    return (size_t)(count + BITS - 1) / BITS;
}

/* The sets are behind the objects. */
static size_t size_of(uint64_t count) {
    return sizeof(vlad_pins) + (size_t)count * sizeof(pin) + 3 * words_of(count) * sizeof(uint64_t);
}

static void clear(const vlad_pins *block, uint64_t *set) {
    memset(set, 0, words_of(block->count) * sizeof *set);
}

/* Returns the number of objects of the next block. */
static uint64_t next_count(const vlad_heap *heap) {
    uint64_t count = FEW;
    for (int i = 0; i < SIZES; i++)
        count = heap->bytes >= sizes[i].from ? sizes[i].count : count;
    while (heap->limit != 0 && count > FEW && size_of(count) > heap->limit / LIMIT_PART)
        count /= 2;
    return count;
}

bool vlad_pins_fit(const vlad_heap *heap) {
    return heap->limit == 0 || size_of(FEW) <= heap->limit / LIMIT_PART;
}

vlad_object *vlad_pins_take(vlad_heap *heap, vlad_object_kind kind) {
    vlad_pins *block = heap->pins;
    if (block == NULL || block->used == block->count)
        return NULL;
    pin *taken = &block->pins[block->used++];
    taken->block = block;
    taken->header = vlad_header(kind, VLAD_PINNED_FIELDS) | VLAD_PINNED;
    if (!block->fresh)
        memset(taken->field, 0, sizeof taken->field);
    return (vlad_object *)(void *)&taken->header;
}

uint64_t vlad_pins_next(const vlad_heap *heap) {
    return heap->spare_pins != NULL ? 0 : size_of(next_count(heap));
}

uint64_t vlad_pins_add(vlad_heap *heap) {
    vlad_pins *block = heap->spare_pins;
    if (block != NULL)
        heap->spare_pins = block->next;
    else {
        uint64_t count = next_count(heap);
        block = verso__block_new(size_of(count));
        if (block == NULL)
            return 0;
        if (count > LARGE)
            verso__block_fill(block, size_of(count));
        uint64_t *sets = (uint64_t *)(void *)&block->pins[count];
        *block = (vlad_pins){.count = count, .live = sets, .fresh = count > LARGE};
        block->pendings = block->live + words_of(count);
        block->mixed = block->pendings + words_of(count);
        clear(block, block->live);
        clear(block, block->pendings);
        clear(block, block->mixed);
    }
    block->next = heap->pins;
    heap->pins = block;
    return size_of(block->count);
}

void vlad_heap_mix(vlad_object *object) {
    if ((object->header & VLAD_PINNED) != 0)
        put(pin_of(object)->block->mixed, index_of(pin_of(object)));
}

/* ---- Collecting ---- */

void vlad_pins_begin(vlad_heap *heap) {
    for (vlad_pins *block = heap->pins; block != NULL; block = block->next) {
        clear(block, block->live);
        clear(block, block->pendings);
        block->pending = 0;
    }
}

void vlad_pins_mark(vlad_object *object) {
    vlad_pins *block = pin_of(object)->block;
    uint64_t i = index_of(pin_of(object));
    if (has(block->live, i))
        return;
    put(block->live, i);
    put(block->pendings, i);
    block->pending++;
}

/* Later objects refer to earlier ones, so blocks and objects are visited from the newest to the oldest. */
bool vlad_pins_move(vlad_heap *heap, vlad_mover *move, bool *any) {
    for (vlad_pins *block = heap->pins; block != NULL; block = block->next)
        for (uint64_t i = block->used; i-- > 0 && block->pending != 0;) {
            if (!has(block->pendings, i))
                continue;
            *any = true;
            block->pendings[i / BITS] &= ~(UINT64_C(1) << i % BITS);
            block->pending--;
            if (!move(heap, block->pins[i].field, has(block->mixed, i) ? VLAD_PINNED_FIELDS : 1))
                return false;
        }
    return true;
}

static bool is_used(const vlad_pins *block) {
    bool used = false;
    for (size_t i = 0; i < words_of(block->count) && !used; i++)
        used = block->live[i] != 0;
    return used;
}

uint64_t vlad_pins_free(vlad_pins **list) {
    uint64_t freed = 0;
    while (*list != NULL) {
        vlad_pins *block = *list;
        *list = block->next;
        freed += size_of(block->count);
        verso__block_free(block, size_of(block->count));
    }
    return freed;
}

void vlad_pins_end(vlad_heap *heap) {
    for (vlad_pins **at = &heap->pins; *at != NULL;) {
        vlad_pins *block = *at;
        if (is_used(block)) {
            at = &block->next;
            continue;
        }
        *at = block->next;
        block->next = heap->spare_pins;
        heap->spare_pins = block;
        clear(block, block->mixed);
        block->used = 0;
        block->fresh = false;
    }
}

void vlad_pins_undo(const vlad_heap *heap, void (*restore)(vlad_value *value)) {
    for (vlad_pins *block = heap->pins; block != NULL; block = block->next)
        for (uint64_t i = 0; i < block->used; i++)
            for (uint64_t j = 0; has(block->live, i) && j < VLAD_PINNED_FIELDS; j++)
                restore(&block->pins[i].field[j]);
}

uint64_t vlad_pins_live(const vlad_heap *heap) {
    uint64_t bytes = 0;
    for (const vlad_pins *block = heap->pins; block != NULL; block = block->next)
        for (size_t i = 0; i < words_of(block->count); i++)
            for (uint64_t bits = block->live[i]; bits != 0; bits &= bits - 1)
                bytes += sizeof(pin);
    return bytes;
}

uint64_t vlad_pins_bytes(const vlad_heap *heap) {
    uint64_t bytes = 0;
    for (const vlad_pins *block = heap->pins; block != NULL; block = block->next)
        bytes += size_of(block->count);
    return bytes;
}
