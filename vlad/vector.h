/* Vectors whose updates take constant time though nothing seems to change: persistent arrays (Baker, "Shallow binding
 * makes functional arrays fast", 1991). The newest version has the elements in an array. An update hands the array to
 * the new version, and the old one becomes a difference: which element it had otherwise, and the version to look for
 * all others in.
 *
 *     oldest  ->  older  ->  newest  ->  array
 *
 * A version that is used again when it is many updates old gets an array of its own. After as many updates as there are
 * elements the new version gets a copy of the array: so a version that a capsule keeps costs no more than a few copies,
 * however often the vector is updated afterwards, and an update costs constant time on average all the same.
 *
 * These are the only objects that change, and they change how they are told, never what they mean: two references to a
 * version see the same elements for ever, and it does not matter who looks first. In memory (not in meaning) there may
 * be cycles: (vector-set v 0 v) is an array that holds a difference from itself. Whoever walks over structures asks for
 * elements here, and does not meet them. */
#ifndef VLAD_VECTOR_H
#define VLAD_VECTOR_H

#include "vlad/heap.h"

/* A new vector, whose elements are to be filled in before the next safe point. VLAD_NOTHING: the heap is exhausted. */
vlad_value vlad_vector_make(vlad_heap *heap, uint64_t length, vlad_value **elements);
uint64_t vlad_vector_length(vlad_value vector);
/* All of them, good until the next update or safe point. NULL: the heap is exhausted. */
const vlad_value *vlad_vector_elements(vlad_heap *heap, vlad_value vector);
/* One of them; the index is below the length. VLAD_NOTHING: the heap is exhausted. */
vlad_value vlad_vector_ref(vlad_heap *heap, vlad_value vector, uint64_t index);
/* The same without taking memory, in time that grows with the updates since. */
vlad_value vlad_vector_look(vlad_value vector, uint64_t index);
/* A vector with another element. VLAD_NOTHING: the heap is exhausted. */
vlad_value vlad_vector_set(vlad_heap *heap, vlad_value vector, uint64_t index, vlad_value element);

/* How a version is told in memory. */
typedef struct vlad_version {
    const vlad_object *newer;   /* the version that it is a difference from; NULL: it is the newest */
    uint64_t length, index;     /* where it has another element than the newer one */
    vlad_value element;         /* which */
    const vlad_value *elements; /* of the newest; NULL: it is none */
} vlad_version;
vlad_version vlad_vector_version(const vlad_object *vector);

#endif
