/* Segments and the copying collector. See heap.h.
 *
 * Cheney's algorithm: objects referenced by roots are copied to new segments. The new segments are then scanned
 * from front to back, and the objects that they reference are copied to their end. This needs no stack and no
 * recursion. A copied object has its new address in place of its header; an address is even, a header odd.
 * Constants carry a bit that keeps them from being copied. */
#include "vlad/heap.h"

#include "vlad/pins.h"

#include "base/alloc.h"
#include "base/status.h"

struct vlad_segment {
    vlad_segment *next;
    uint64_t words, used;
    vlad_value word[];
};

enum { SEGMENT_WORDS = 4 << 10, SEGMENT_WORDS_LEAST = 1 << 10, SEGMENT_PART = 32, GROWTH = 3 };
#define THRESHOLD_LEAST (UINT64_C(256) << 10)
/* ORDER_PART: a copy in another order may lose this part of all memory at the ends of segments. LITTLE_PART: a
 * heap with less than this part free has little room. */
enum { ORDER_PART = 16, LITTLE_PART = 8 };

/* Returns the size of a segment, unless an object needs more: a small part of a small limit. */
static uint64_t segment_words(uint64_t limit) {
    uint64_t words = limit / SEGMENT_PART / sizeof(vlad_value);
    if (limit == 0 || words > SEGMENT_WORDS)
        return SEGMENT_WORDS;
    return words < SEGMENT_WORDS_LEAST ? SEGMENT_WORDS_LEAST : words;
}

static uint64_t size_of(const vlad_segment *segment) {
    return sizeof *segment + segment->words * sizeof(vlad_value);
}

/* ---- Segments ---- */

static vlad_segment *take_spare(vlad_heap *heap, uint64_t words) {
    for (vlad_segment **at = &heap->spare; *at != NULL; at = &(*at)->next)
        if ((*at)->words >= words && (*at)->words <= 2 * words + SEGMENT_WORDS) {
            vlad_segment *segment = *at;
            *at = segment->next;
            return segment;
        }
    return NULL;
}

static void free_all(vlad_heap *heap, vlad_segment **list) {
    while (*list != NULL) {
        vlad_segment *segment = *list;
        *list = segment->next;
        heap->taken -= size_of(segment);
        verso__dealloc(segment);
    }
}

/* Counts memory against the limit. Frees spare segments first if it would be exceeded. */
static bool take(vlad_heap *heap, uint64_t bytes) {
    if (heap->limit != 0 && heap->taken + bytes > heap->limit) {
        free_all(heap, &heap->spare);
        heap->taken -= vlad_pins_free(&heap->spare_pins);
    }
    if (heap->limit != 0 && heap->taken + bytes > heap->limit)
        return false;
    heap->taken += bytes;
    heap->peak = heap->taken > heap->peak ? heap->taken : heap->peak;
    return true;
}

bool vlad_heap_take(vlad_heap *heap, uint64_t bytes) {
    if (!take(heap, bytes))
        return false;
    heap->beside += bytes;
    return true;
}

void vlad_heap_give_back(vlad_heap *heap, uint64_t bytes) {
    heap->taken -= bytes;
    heap->beside -= bytes;
}

static vlad_segment *new_segment(vlad_heap *heap, uint64_t words) {
    if (words < segment_words(heap->limit))
        words = segment_words(heap->limit);
    vlad_segment *segment = take_spare(heap, words);
    if (segment != NULL)
        return segment;
    uint64_t size = sizeof *segment + words * sizeof(vlad_value);
    if (words > SIZE_MAX / 2 / sizeof(vlad_value) || !take(heap, size))
        return NULL;
    segment = verso__alloc(1, (size_t)size);
    if (segment == NULL) {
        heap->taken -= size;
        return NULL;
    }
    segment->words = words;
    return segment;
}

/* Appends a segment after the last one, which is full. */
static bool add_segment(vlad_heap *heap, uint64_t words) {
    vlad_segment *segment = new_segment(heap, words);
    if (segment == NULL)
        return false;
    if (heap->last != NULL) {
        heap->last->used = (uint64_t)(heap->free - heap->last->word);
        heap->last->next = segment;
    } else
        heap->segments = segment;
    heap->last = segment;
    segment->next = NULL;
    heap->free = segment->word;
    heap->end = segment->word + segment->words;
    heap->bytes += size_of(segment);
    return true;
}

bool vlad_heap_room(vlad_heap *heap, uint64_t words) {
    if ((uint64_t)(heap->end - heap->free) >= words)
        return true;
    if (heap->exhausted || !add_segment(heap, words)) {
        heap->exhausted = heap->wanted = true;
        return false;
    }
    heap->wanted |= heap->bytes > heap->threshold;
    return true;
}

uint64_t vlad_heap_half(uint64_t limit, uint64_t beside) {
    uint64_t half = limit > beside ? (limit - beside) / 2 : 0;
    uint64_t lost = half / ORDER_PART + segment_words(limit) * sizeof(vlad_value);
    return half > lost ? half - lost : 0;
}

/* Decides when to collect next. If hardly more than the objects in use fits, collections are postponed, since no
 * further objects may survive, or the program may end soon. Pinned objects are not copied, so only the others need
 * room twice. */
static void set_threshold(vlad_heap *heap) {
    uint64_t pins = vlad_pins_bytes(heap), others = heap->bytes - pins;
    uint64_t half = vlad_heap_half(heap->limit, heap->beside + pins);
    heap->threshold = heap->bytes * GROWTH > THRESHOLD_LEAST ? heap->bytes * GROWTH : THRESHOLD_LEAST;
    heap->tight = false;
    if (heap->limit == 0 || heap->threshold <= pins + half)
        return;
    uint64_t block = heap->pins != NULL ? vlad_pins_next(heap) : 0; /* may be needed as a whole */
    heap->tight = others + 2 * block > half - half / LITTLE_PART;
    uint64_t most = heap->limit > heap->beside + others ? heap->limit - heap->beside - others : 0;
    uint64_t segment = segment_words(heap->limit) * sizeof(vlad_value);
    heap->threshold = !heap->tight ? pins + half : most > heap->bytes + 2 * segment ? most - segment : UINT64_MAX;
}

vlad_object *vlad_heap_more(vlad_heap *heap, vlad_object_kind kind, uint64_t fields) {
    return vlad_heap_room(heap, fields + 1) ? vlad_make(heap, kind, fields) : NULL;
}

bool vlad_heap_pins(const vlad_heap *heap) {
    return vlad_pins_fit(heap);
}

static bool add_pins(vlad_heap *heap) {
    uint64_t next = vlad_pins_next(heap);
    if (heap->exhausted || !take(heap, next))
        return false;
    uint64_t size = vlad_pins_add(heap);
    if (size == 0)
        heap->taken -= next;
    heap->bytes += size;
    heap->wanted |= heap->bytes > heap->threshold;
    return size != 0;
}

vlad_object *vlad_make_pinned(vlad_heap *heap, vlad_object_kind kind) {
    if (!vlad_heap_pins(heap)) {
        vlad_object *object = vlad_make(heap, kind, VLAD_PINNED_FIELDS);
        if (object != NULL)
            memset(object->field, 0, VLAD_PINNED_FIELDS * sizeof(vlad_value));
        return object;
    }
    vlad_object *object = vlad_pins_take(heap, kind);
    if (object == NULL && add_pins(heap))
        object = vlad_pins_take(heap, kind);
    heap->exhausted |= object == NULL;
    heap->wanted |= object == NULL;
    return object;
}

void vlad_heap_open(vlad_heap *heap, uint64_t limit) {
    *heap = (vlad_heap){.limit = limit};
    set_threshold(heap);
}

void vlad_heap_close(vlad_heap *heap) {
    free_all(heap, &heap->segments);
    free_all(heap, &heap->spare);
    (void)vlad_pins_free(&heap->pins);
    (void)vlad_pins_free(&heap->spare_pins);
    *heap = (vlad_heap){0};
}

void vlad_heap_root(vlad_heap *heap, vlad_roots *roots) {
    roots->next = heap->roots;
    heap->roots = roots;
}

void vlad_heap_unroot(vlad_heap *heap, vlad_roots *roots) {
    heap->roots = roots->next;
}

/* ---- Collecting ---- */

static bool is_static(const vlad_object *object) {
    return (object->header & VLAD_STATIC) != 0;
}

/* Returns the new address of a value; VLAD_NOTHING if there is no memory. */
static vlad_value move(vlad_heap *heap, vlad_value value) {
    vlad_object *object = vlad_object_of(value);
    if ((object->header & 1) == 0)
        return vlad_value_of((vlad_object *)(uintptr_t)object->header);
    if (is_static(object))
        return value;
    if ((object->header & VLAD_PINNED) != 0) {
        vlad_pins_mark(object);
        return value;
    }
    uint64_t fields = vlad_fields_of(object);
    vlad_object *copy = vlad_make(heap, vlad_kind_of(object), fields);
    if (copy == NULL)
        return VLAD_NOTHING;
    if (fields <= 3) /* pairs, numbers and closures, the most frequent objects */
        for (uint64_t i = 0; i < 3 && i < fields; i++)
            copy->field[i] = object->field[i];
    else
        memcpy(copy->field, object->field, (size_t)fields * sizeof(vlad_value));
    object->header = (uint64_t)(uintptr_t)copy;
    return vlad_value_of(copy);
}

static bool move_all(vlad_heap *heap, vlad_value *values, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (vlad_is_object(values[i])) {
            vlad_value moved = move(heap, values[i]);
            if (moved == VLAD_NOTHING)
                return false;
            values[i] = moved;
        }
    return true;
}

/* Scans the new segments from front to back, from a place on, which it updates. */
static bool scan(vlad_heap *heap, vlad_segment **at, uint64_t *done) {
    for (vlad_segment *segment = *at != NULL ? *at : heap->segments; segment != NULL; segment = segment->next) {
        if (segment != *at)
            *done = 0;
        *at = segment;
        for (;;) {
            uint64_t filled = segment == heap->last ? (uint64_t)(heap->free - segment->word) : segment->used;
            if (*done == filled)
                break;
            const vlad_object *object = (const vlad_object *)(segment->word + *done);
            uint64_t fields = vlad_fields_of(object);
            if (vlad_kind_of(object) != VLAD_BYTES && !move_all(heap, segment->word + *done + 1, fields))
                return false;
            *done += fields + 1;
        }
    }
    return true;
}

/* Moves everything that the objects moved so far refer to. */
static bool scan_all(vlad_heap *heap) {
    vlad_segment *at = NULL;
    uint64_t done = 0;
    for (bool any = true; any;) {
        any = false;
        if (!scan(heap, &at, &done) || !vlad_pins_move(heap, move_all, &any))
            return false;
    }
    return true;
}

verso_status vlad_heap_failure(const vlad_heap *heap, verso_error *error) {
    if (heap->limit != 0)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "the program needs more than %llu bytes of memory",
                           (unsigned long long)heap->limit);
    return verso__fail(error, VERSO_STATUS_NO_MEMORY,
                       "the program needs more memory than there is: %llu bytes are taken",
                       (unsigned long long)heap->taken);
}

void vlad_heap_recover(vlad_heap *heap) {
    heap->tight = heap->exhausted = false;
    heap->wanted = true;
}

static uint64_t count_live(const vlad_heap *heap) {
    uint64_t words = 0;
    for (const vlad_segment *segment = heap->segments; segment != NULL; segment = segment->next)
        words += segment == heap->last ? (uint64_t)(heap->free - segment->word) : segment->used;
    return words * sizeof(vlad_value) + vlad_pins_live(heap);
}

/* Keeps as many segments as will be filled before the next collection and copied then; frees the others. */
static void keep_spare(vlad_heap *heap, vlad_segment *old) {
    while (old != NULL) {
        vlad_segment *segment = old;
        old = segment->next;
        segment->next = heap->spare;
        heap->spare = segment;
    }
    uint64_t kept = 0;
    vlad_segment **at = &heap->spare;
    while (*at != NULL && kept < heap->threshold) {
        kept += size_of(*at);
        at = &(*at)->next;
    }
    free_all(heap, at);
    if (kept + heap->bytes > heap->threshold)
        heap->taken -= vlad_pins_free(&heap->spare_pins);
}

/* Makes a value that was moved refer to the old object again. */
static void restore(vlad_value *value) {
    if (vlad_is_object(*value) && (vlad_object_of(*value)->header & 1) == 0)
        *value = vlad_value_of((vlad_object *)(uintptr_t)vlad_object_of(*value)->header);
}

/* Restores the headers of the old objects from their copies, which then point back to them; restores the roots
 * that were updated. */
static void put_back(const vlad_heap *heap, vlad_segment *old) {
    for (vlad_segment *segment = old; segment != NULL; segment = segment->next)
        for (uint64_t done = 0; done < segment->used;) {
            vlad_object *object = (vlad_object *)(segment->word + done);
            if ((object->header & 1) == 0) {
                vlad_object *copy = (vlad_object *)(uintptr_t)object->header;
                object->header = copy->header;
                copy->header = (uint64_t)(uintptr_t)object;
            }
            done += vlad_fields_of(object) + 1;
        }
    for (vlad_roots *roots = heap->roots; roots != NULL; roots = roots->next)
        for (size_t i = 0; i < roots->count; i++)
            restore(&roots->values[i]);
    vlad_pins_undo(heap, restore);
}

/* Undoes a collection that ran out of memory. */
static verso_status undo(vlad_heap *heap, const vlad_heap *before, verso_error *error) {
    put_back(heap, before->segments);
    free_all(heap, &heap->segments);
    heap->segments = before->segments;
    heap->last = before->last;
    heap->free = before->free;
    heap->end = before->end;
    heap->bytes = before->bytes;
    heap->threshold = before->threshold;
    heap->exhausted = heap->wanted = true;
    return vlad_heap_failure(heap, error);
}

verso_status vlad_heap_collect(vlad_heap *heap, verso_error *error) {
    if (heap->exhausted)
        return vlad_heap_failure(heap, error);
    if (heap->last != NULL)
        heap->last->used = (uint64_t)(heap->free - heap->last->word);
    vlad_heap before = *heap;
    vlad_segment *old = heap->segments;
    heap->segments = heap->last = NULL;
    heap->free = heap->end = NULL;
    heap->bytes = 0;
    heap->threshold = UINT64_MAX;
    vlad_pins_begin(heap);
    bool moved = true;
    for (vlad_roots *roots = heap->roots; moved && roots != NULL; roots = roots->next)
        moved = move_all(heap, roots->values, roots->count);
    if (!moved || !scan_all(heap))
        return undo(heap, &before, error);
    vlad_pins_end(heap);
    heap->bytes += vlad_pins_bytes(heap);
    set_threshold(heap);
    keep_spare(heap, old);
    heap->collections++;
    heap->wanted = heap->always;
    heap->live = count_live(heap);
    return heap->strict && heap->tight ? vlad_heap_failure(heap, error) : VERSO_STATUS_OK;
}
