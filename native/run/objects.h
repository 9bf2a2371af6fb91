/* Finds the memory of the program that can be reached from pointers: whole heap blocks, whole variables, and parts of
 * stacks. All functions must be called on the private stack (native/memory/stack.h). */
#ifndef NATIVE_RUN_OBJECTS_H
#define NATIVE_RUN_OBJECTS_H

#include "native/memory/memory.h"

typedef struct verso__native_object {
    char *begin, *end;
    size_t copy; /* for foreign.c: offset of its copy, or of its checksums */
    bool copied; /* for foreign.c: it was copied; false: only checksums were taken */
} verso__native_object;

/* A set of objects. Zero-initialise it; free it with verso__native_objects_free. */
typedef struct verso__native_objects {
    verso__native_object *list;
    size_t count, room;
    size_t followed;   /* the first `followed` objects were searched for pointers */
    uint32_t *table;   /* hash table by `begin`: index in `list`, plus 1 */
    size_t table_room; /* entries of `table` */
    /* Parts of the private and of the caller's stack that were found; verso__native_objects_follow adds them to the
     * list last. */
    verso__native_range stack, caller;
    bool calls;   /* a pointer to a function of the program was found */
    size_t bytes; /* for foreign.c: total size of the objects that were handed over before */
} verso__native_objects;

/* Returns whether the address is in a variable of the program. */
bool verso__native_is_variable(const void *address);
/* Empties the set, but keeps its memory. */
void verso__native_objects_begin(verso__native_objects *objects);
void verso__native_objects_free(verso__native_objects *objects);
/* Adds the object that `pointer` points into: the heap block, variable or region. If it points into a stack, adds the
 * 64 KiB from there on. If it points to a function of the program, adds all variables of the program, which the
 * function may use. No-op if it points to no memory of the program. */
void verso__native_objects_add(verso__native_objects *objects, char *pointer);
/* Adds an object whose extent is known. */
void verso__native_objects_add_range(verso__native_objects *objects, char *begin, char *end);
/* Adds all objects that can be reached through pointers in objects of the set. */
void verso__native_objects_follow(verso__native_objects *objects);

#endif
