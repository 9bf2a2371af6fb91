/* Pinned objects of the heap (heap.h): blocks of objects of one size, which are kept as long as one of the objects is
 * in use. Used by heap.c only. */
#ifndef VLAD_PINS_H
#define VLAD_PINS_H

#include "vlad/heap.h"

/* Moves values during a collection. Returns false if there is no memory. */
typedef bool vlad_mover(vlad_heap *heap, vlad_value *values, uint64_t count);

/* True if the limit of the heap is not too small for blocks. */
bool vlad_pins_fit(const vlad_heap *heap);
/* Returns an unused object, with its header and fields of 0; NULL if the newest block has none. */
vlad_object *vlad_pins_take(vlad_heap *heap, vlad_object_kind kind);
/* Return the bytes that the next block takes from the system; those of the next block, which is added, 0 if there is
 * no memory. */
uint64_t vlad_pins_next(const vlad_heap *heap);
uint64_t vlad_pins_add(vlad_heap *heap);

/* Steps of a collection: nothing is in use; an object is; fields of objects in use are moved (*any: there were some);
 * blocks that are not in use become spare. */
void vlad_pins_begin(vlad_heap *heap);
void vlad_pins_mark(vlad_object *object);
bool vlad_pins_move(vlad_heap *heap, vlad_mover *move, bool *any);
void vlad_pins_end(vlad_heap *heap);
/* Applies `restore` to all fields that may have been moved, after a collection that failed. */
void vlad_pins_undo(const vlad_heap *heap, void (*restore)(vlad_value *value));
/* Return the bytes of the objects that the last collection found in use; the bytes of all blocks but the spare ones. */
uint64_t vlad_pins_live(const vlad_heap *heap);
uint64_t vlad_pins_bytes(const vlad_heap *heap);
/* Frees a list of blocks. Returns the bytes that they took. */
uint64_t vlad_pins_free(vlad_pins **list);

#endif
