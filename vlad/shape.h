/* Traverses whole structures: visits the reals in pairs, vectors and closures from left to right. Shared parts are
 * visited as often as they are reached, since programs cannot observe sharing. The functions do not recurse; only
 * memory limits the depth. */
#ifndef VLAD_SHAPE_H
#define VLAD_SHAPE_H

#include "vlad/number.h"

/* Returns the replacement of a real; `other` is the real at the same place of the other structure. VLAD_NOTHING:
 * no memory. */
typedef vlad_value (*vlad_leaf)(void *context, vlad_value real, vlad_value other);

/* Sets *result to a structure of the same shape with replaced reals. If `other` is not VLAD_NOTHING, both
 * structures must have the same shape, else VERSO_STATUS_INVALID is returned. If `result` is NULL the reals are
 * only visited. Also fails with VERSO_STATUS_NO_MEMORY. */
verso_status vlad_shape_map(vlad_heap *heap, vlad_value value, vlad_value other, vlad_leaf leaf, void *context,
                            vlad_value *result, verso_error *error);

/* Writes a value as text, in program syntax where possible, to `text`: at most `size` bytes including the final
 * NUL; a longer text ends with "...". Returns `text`. */
char *vlad_value_text(vlad_value value, char *text, size_t size);

#endif
