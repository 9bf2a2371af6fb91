/* Vectors with updates in constant time that look immutable: persistent arrays (Baker, "Shallow binding makes
 * functional arrays fast", 1991). The newest version of a vector has the elements in an array. An update passes
 * the array on to the new version; the old version becomes a difference: the element that differs, and a pointer
 * to the newer version, which has the other elements.
 *
 *     oldest  ->  older  ->  newest  ->  array
 *
 * A version that is used again after many updates gets its own array. After as many updates as there are elements
 * the new version gets a copy of the array. So a version that a capsule keeps costs at most a few copies, however
 * often the vector is updated afterwards, and an update still costs constant time on average.
 *
 * These are the only objects that change. Their representation changes, never their meaning: all references to a
 * version always see the same elements, in whatever order versions are read. The representation (not the meaning)
 * may contain cycles: (vector-set v 0 v) is an array that holds a difference from itself. Code that traverses
 * structures reads elements with the functions below and so never meets such cycles. */
#ifndef VLAD_VECTOR_H
#define VLAD_VECTOR_H

#include "vlad/heap.h"

/* Makes a vector. The caller fills in *elements before the next safe point. Returns VLAD_NOTHING if the heap is
 * exhausted. */
vlad_value vlad_vector_make(vlad_heap *heap, uint64_t length, vlad_value **elements);
uint64_t vlad_vector_length(vlad_value vector);
/* Returns all elements, valid until the next update or safe point; NULL if the heap is exhausted. */
const vlad_value *vlad_vector_elements(vlad_heap *heap, vlad_value vector);
/* Returns one element; `index` must be below the length. VLAD_NOTHING: the heap is exhausted. */
vlad_value vlad_vector_ref(vlad_heap *heap, vlad_value vector, uint64_t index);
/* The same without allocation, in time proportional to the number of updates since this version. */
vlad_value vlad_vector_peek(vlad_value vector, uint64_t index);
/* Returns a vector with one element replaced; VLAD_NOTHING if the heap is exhausted. */
vlad_value vlad_vector_set(vlad_heap *heap, vlad_value vector, uint64_t index, vlad_value element);

/* The representation of a version. */
typedef struct vlad_version {
    const vlad_object *newer; /* the newer version that it differs from; NULL: it is the newest */
    uint64_t length;
    uint64_t index;             /* where it differs from the newer version */
    vlad_value element;         /* the element that differs */
    const vlad_value *elements; /* all elements, if it is the newest; else NULL */
} vlad_version;
vlad_version vlad_vector_version(const vlad_object *vector);

#endif
