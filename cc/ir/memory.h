/* Memory of all passes: a region that is freed as a whole at the end of the transformation, arrays that grow in it,
 * and a map from pointers to numbers. Part of unit.h, which includes it. */
#ifndef CC_IR_MEMORY_H
#define CC_IR_MEMORY_H

#include <stddef.h>

typedef struct cc_unit cc_unit;     /* see unit.h */
typedef struct cc_region cc_region; /* the memory of all passes */

/* Allocates zeroed memory that lives until the end of the transformation, or of the region that was begun last. Never
 * returns NULL: calls cc_give_up when memory runs out. */
void *cc_alloc(cc_unit *unit, size_t count, size_t size);
/* Ensures that the array at *(void **)array has room for `needed` elements of `size` bytes. *capacity is its current
 * capacity. Grows it by doubling and keeps the elements. */
void cc_reserve(cc_unit *unit, void *array, size_t *capacity, size_t needed, size_t size);
/* Returns the formatted text, allocated by cc_alloc. */
char *cc_print(cc_unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Begins a region for what is allocated until the matching cc_region_end, which frees it. */
void cc_region_begin(cc_unit *unit);
void cc_region_end(cc_unit *unit);
void cc_forget_regions(cc_unit *unit); /* ends all regions */

/* A map from pointers to numbers. Initialise with {0}. */
typedef struct cc_map {
    const void **keys;
    size_t *values;
    size_t count, capacity;
} cc_map;
enum { CC_NOT_FOUND = -1 };
void cc_map_put(cc_unit *unit, cc_map *map, const void *key, size_t value);
ptrdiff_t cc_map_get(const cc_map *map, const void *key); /* returns CC_NOT_FOUND if there is no such key */

#endif
