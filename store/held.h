/* Which capsules a file store holds: a table by kind and step. */
#ifndef VERSO_STORE_HELD_H
#define VERSO_STORE_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/capsule.h>

struct verso_write;

typedef struct verso_held verso_held;
struct verso_held {
    verso_held *next; /* the table's */
    verso_capsule_name name;
    bool reserved;             /* not committed yet */
    bool damaged;              /* its header was, when the store was opened: length is not known */
    uint64_t length;           /* of the capsule */
    uint64_t promised;         /* bytes of its file, as they count against the disk budget before it is written */
    uint64_t size;             /* of its file; 0: not written yet */
    struct verso_write *write; /* has its bytes, from reserving until they are written; NULL: they are in the file */
};

typedef struct verso_held_table {
    verso_held **buckets;
    size_t bucket_count; /* a power of 2, or 0 */
    size_t count;
} verso_held_table;

/* NULL: not there. */
verso_held *verso_held_find(const verso_held_table *table, const verso_capsule_name *name);
/* Adds one that is not there; NULL: no memory. */
verso_held *verso_held_add(verso_held_table *table, const verso_capsule_name *name);
/* Removes and frees it. */
void verso_held_remove(verso_held_table *table, verso_held *held);
/* All names in ascending order of kind and step, but for those that are only reserved; allocated, NULL: no memory. */
verso_capsule_name *verso_held_names(const verso_held_table *table, size_t *count);
void verso_held_free(verso_held_table *table);

#endif
