/* A store for capsules that are values: they stay in the heap, share what they have in common, and cost a word each. */
#ifndef VLAD_HELD_H
#define VLAD_HELD_H

#include "vlad/heap.h"

#include <verso/store.h>

typedef struct vlad_held {
    vlad_heap *heap;
    vlad_value *slots; /* VLAD_NOTHING: empty */
    uint64_t *steps;   /* of the computation, where there is one */
    size_t room;
    uint64_t now, most, writes, reads;
    uint64_t taken; /* bytes, of the heap's limit */
    vlad_roots roots;
    verso_store store;
} vlad_held;

/* Its store takes capsules of one word, a value. */
void vlad_held_open(vlad_held *held, vlad_heap *heap);
void vlad_held_close(vlad_held *held);
/* Holds nothing any more. */
void vlad_held_clear(vlad_held *held);

#endif
