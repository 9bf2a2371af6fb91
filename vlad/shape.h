/* Walks over whole structures: the reals in pairs, vectors and closures, from left to right. What is shared is walked
 * as often as it is reached, for a program cannot tell. No recursion: as deep as memory allows. */
#ifndef VLAD_SHAPE_H
#define VLAD_SHAPE_H

#include "vlad/number.h"

/* What becomes of a real; `other` is the one in the same place of the other structure. VLAD_NOTHING: no memory. */
typedef vlad_value (*vlad_leaf)(void *context, vlad_value real, vlad_value other);

/* A structure of the same shape. With another one (not VLAD_NOTHING) both must have the same shape: VERSO_INVALID.
 * VERSO_NO_MEMORY: none. `result` NULL: only looks, and nothing is made. */
verso_status vlad_shape_map(vlad_heap *heap, vlad_value value, vlad_value other, vlad_leaf leaf, void *context,
                            vlad_value *result, verso_error *error);

/* Values as text, as they would be written in a program where that can be; at most `size` bytes with the 0 at the end,
 * cut with "...". Returns text. */
char *vlad_value_text(vlad_value value, char *text, size_t size);

#endif
