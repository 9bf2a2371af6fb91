/* The memory of a running program: objects (value.h), and a collector that copies what is alive.
 *
 * Allocation never collects. Whoever runs a program collects at safe points, between two steps, where all that is alive
 * hangs on its registered roots; so no other code needs to know that objects move. Between two safe points memory is
 * taken from the system as it comes.
 *
 * Within a limit, memory is collected before it is half full, so that there is room for the copy even if everything is
 * alive. What others need beside objects (cotangents, lists of capsules) counts, too, when they say so. */
#ifndef VLAD_HEAP_H
#define VLAD_HEAP_H

#include "vlad/value.h"

#include <stddef.h>
#include <verso/status.h>

/* Values that are alive, wherever they lie. */
typedef struct vlad_roots {
    vlad_value *values;
    size_t count;
    struct vlad_roots *next;
} vlad_roots;

typedef struct vlad_segment vlad_segment;

typedef struct vlad_heap {
    vlad_value *free, *end;        /* of the segment at hand */
    vlad_segment *segments, *last; /* in the order in which they were filled */
    vlad_segment *spare;
    vlad_roots *roots;
    uint64_t limit;     /* bytes at most; 0: none */
    uint64_t bytes;     /* of all segments in use */
    uint64_t threshold; /* of `bytes`, beyond which it is time to collect */
    uint64_t peak;      /* bytes taken from the system, at most */
    uint64_t taken;     /* and now */
    uint64_t beside;    /* of these, not for objects */
    uint64_t live;      /* bytes of objects that the last collection has found alive */
    uint64_t collections;
    bool wanted;    /* it is time to collect */
    bool always;    /* tests: it is time at every safe point */
    bool strict;    /* a collection that leaves little room within the limit has failed, though all values are good: */
    bool tight;     /* such a one has */
    bool exhausted; /* an allocation has failed; from then on all do */
} vlad_heap;

void vlad_heap_open(vlad_heap *heap, uint64_t limit);
void vlad_heap_close(vlad_heap *heap);
/* Added in front; removed in the opposite order. */
void vlad_heap_root(vlad_heap *heap, vlad_roots *roots);
void vlad_heap_unroot(vlad_heap *heap, vlad_roots *roots);
/* At a safe point. VERSO_NO_MEMORY when the limit, or the machine's memory, does not suffice, also for what was asked
 * for since the last one: then everything is where it was. */
verso_status vlad_heap_collect(vlad_heap *heap, verso_error *error);
/* Bytes that objects can take before a collection of them all might not fit. */
uint64_t vlad_heap_half(uint64_t limit, uint64_t beside);
/* What was being evaluated is given up, perhaps for lack of memory, and roots show it no longer: the next safe point
 * collects, and allocations are tried again. */
void vlad_heap_recover(vlad_heap *heap);
/* Memory beside objects: taken before it is allocated, given back when it is freed. False: the limit is in the way. */
bool vlad_heap_take(vlad_heap *heap, uint64_t bytes);
void vlad_heap_give_back(vlad_heap *heap, uint64_t bytes);
/* How a lack of memory is said. */
verso_status vlad_heap_failure(const vlad_heap *heap, verso_error *error);

/* So many words in a row are free afterwards, as `free` and `end` say. False: exhausted. */
bool vlad_heap_room(vlad_heap *heap, uint64_t words);

/* The slow way: another segment. NULL: exhausted. */
vlad_object *vlad_heap_more(vlad_heap *heap, vlad_object_kind kind, uint64_t fields);

/* An object whose fields are to be filled in before the next safe point. NULL: exhausted. */
static inline vlad_object *vlad_make(vlad_heap *heap, vlad_object_kind kind, uint64_t fields) {
    if ((uint64_t)(heap->end - heap->free) <= fields)
        return vlad_heap_more(heap, kind, fields);
    vlad_object *object = (vlad_object *)heap->free;
    heap->free += fields + 1;
    object->header = vlad_header(kind, fields);
    return object;
}

/* VLAD_NOTHING: exhausted. */
static inline vlad_value vlad_pair(vlad_heap *heap, vlad_value first, vlad_value second) {
    vlad_object *pair = vlad_make(heap, VLAD_PAIR, 2);
    if (pair == NULL)
        return VLAD_NOTHING;
    pair->field[0] = first;
    pair->field[1] = second;
    return vlad_value_of(pair);
}

#endif
