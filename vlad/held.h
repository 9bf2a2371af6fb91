/* A store for capsules that are values: they stay in the heap, share objects, and take one word each in the store. */
#ifndef VLAD_HELD_H
#define VLAD_HELD_H

#include "vlad/heap.h"

#include <verso/store.h>

typedef struct vlad_held {
    vlad_heap *heap;
    vlad_value *slots; /* VLAD_NOTHING: empty */
    uint64_t *steps;   /* the step that each slot holds the state of */
    size_t room;
    uint64_t now;    /* capsules held now */
    uint64_t most;   /* maximum number of capsules held at the same time */
    uint64_t writes; /* capsules stored */
    uint64_t reads;  /* capsules restored */
    uint64_t taken;  /* bytes counted against the heap's limit */
    vlad_roots roots;
    verso_store store;
} vlad_held;

/* Opens a store whose capsules are one word: a value. */
void vlad_held_open(vlad_held *held, vlad_heap *heap);
void vlad_held_close(vlad_held *held);
/* Empties all slots. */
void vlad_held_clear(vlad_held *held);

#endif
