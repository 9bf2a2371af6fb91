/* The memory of a running program: objects (value.h) and a copying garbage collector.
 *
 * Allocation never collects. The evaluator collects at safe points, between two steps, where everything that is in
 * use is reachable from registered roots; so no other code has to deal with moving objects. Between two safe
 * points the heap takes as much memory from the system as it needs.
 *
 * Chunks of tapes are pinned: they stay where they are, unless the limit is small, and only their contents are visited.
 * They contain no objects but the first field and those noted with vlad_heap_mix.
 *
 * With a limit, the heap collects before it is half full, so that the copy fits even if everything is reachable.
 * Memory besides objects (cotangents, lists of capsules) counts against the limit, too, if its users call
 * vlad_heap_take. */
#ifndef VLAD_HEAP_H
#define VLAD_HEAP_H

#include "vlad/value.h"

#include <stddef.h>
#include <verso/status.h>

/* Values that the collector must keep and update. */
typedef struct vlad_roots {
    vlad_value *values;
    size_t count;
    struct vlad_roots *next;
} vlad_roots;

typedef struct vlad_segment vlad_segment;
typedef struct vlad_pins vlad_pins;
enum { VLAD_PINNED_FIELDS = 1 + 4 * 127 };

typedef struct vlad_heap {
    /* unused words of the current segment */
    vlad_value *free, *end;
    /* in the order in which they were filled */
    vlad_segment *segments, *last;
    vlad_segment *spare;
    vlad_pins *pins, *spare_pins; /* pinned objects, the newest first */
    vlad_roots *roots;
    uint64_t limit;     /* maximum number of bytes; 0: no limit */
    uint64_t bytes;     /* of all segments in use */
    uint64_t threshold; /* collect when `bytes` exceeds this */
    uint64_t peak;      /* maximum number of bytes taken from the system */
    uint64_t taken;     /* bytes taken from the system now */
    uint64_t beside;    /* of these: not for objects */
    uint64_t live;      /* bytes of objects that survived the last collection */
    uint64_t collections;
    bool wanted; /* collect at the next safe point */
    bool always; /* for tests: collect at every safe point */
    /* a collection that leaves little room within the limit counts as failed, although all values are intact */
    bool strict;
    bool tight;     /* such a collection has happened */
    bool exhausted; /* an allocation has failed; all further ones fail */
} vlad_heap;

/* Opens an empty heap with a limit in bytes (0: none); vlad_heap_close frees all objects. */
void vlad_heap_open(vlad_heap *heap, uint64_t limit);
void vlad_heap_close(vlad_heap *heap);
/* Add roots; remove them in the opposite order. */
void vlad_heap_root(vlad_heap *heap, vlad_roots *roots);
void vlad_heap_unroot(vlad_heap *heap, vlad_roots *roots);
/* Collects; call it only at a safe point. Returns VERSO_STATUS_NO_MEMORY, with all objects at their old places, if
 * the limit or the system's memory does not suffice, or did not suffice for an allocation since the last
 * collection. */
verso_status vlad_heap_collect(vlad_heap *heap, verso_error *error);
/* Returns the bytes that objects may take within `limit` so that a copy of all of them still fits; `beside` bytes
 * are used otherwise. */
uint64_t vlad_heap_half(uint64_t limit, uint64_t beside);
/* Call it after an evaluation was abandoned, perhaps for lack of memory, and its roots are gone: the heap collects
 * at the next safe point, and allocations are tried again. */
void vlad_heap_recover(vlad_heap *heap);
/* Count memory besides objects: take before allocating it, give back after freeing it. vlad_heap_take returns
 * false if the limit would be exceeded. */
bool vlad_heap_take(vlad_heap *heap, uint64_t bytes);
void vlad_heap_give_back(vlad_heap *heap, uint64_t bytes);
/* Sets *error to a message about the lack of memory. Returns VERSO_STATUS_NO_MEMORY. */
verso_status vlad_heap_failure(const vlad_heap *heap, verso_error *error);

/* Makes sure that `words` adjacent words are free between `free` and `end`. Returns false if the heap is
 * exhausted. */
bool vlad_heap_room(vlad_heap *heap, uint64_t words);

/* The slow path of vlad_make: takes another segment. Returns NULL if the heap is exhausted. */
vlad_object *vlad_heap_more(vlad_heap *heap, vlad_object_kind kind, uint64_t fields);

/* Allocates an object. The caller fills in all fields before the next safe point. Returns NULL if the heap is
 * exhausted. */
static inline vlad_object *vlad_make(vlad_heap *heap, vlad_object_kind kind, uint64_t fields) {
    if ((uint64_t)(heap->end - heap->free) <= fields)
        return vlad_heap_more(heap, kind, fields);
    vlad_object *object = (vlad_object *)heap->free;
    heap->free += fields + 1;
    object->header = vlad_header(kind, fields);
    return object;
}

/* Allocates an object of VLAD_PINNED_FIELDS fields, which are 0; it never moves, unless the limit is small. Returns
 * NULL if the heap is exhausted. */
vlad_object *vlad_make_pinned(vlad_heap *heap, vlad_object_kind kind);
/* True unless the limit is too small for objects that never move. */
bool vlad_heap_pins(const vlad_heap *heap);
/* Notes that a field other than the first one of such an object may be an object. */
void vlad_heap_mix(vlad_object *object);

/* Returns VLAD_NOTHING if the heap is exhausted. */
static inline vlad_value vlad_pair(vlad_heap *heap, vlad_value first, vlad_value second) {
    vlad_object *pair = vlad_make(heap, VLAD_PAIR, 2);
    if (pair == NULL)
        return VLAD_NOTHING;
    pair->field[0] = first;
    pair->field[1] = second;
    return vlad_value_of(pair);
}

#endif
