/* The table of the capsules that a file store holds, a hash table by kind and step. */
#ifndef VERSO_STORE_HELD_H
#define VERSO_STORE_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/capsule.h>

struct verso__write;

typedef struct verso__held verso__held;
struct verso__held {
    verso__held *next; /* next entry of the bucket */
    verso_capsule_name name;
    bool reserved;     /* reserved and not yet committed */
    bool damaged;      /* the header was damaged when the store was opened; `length` is unknown */
    uint64_t length;   /* length of the capsule in bytes */
    uint64_t promised; /* bytes of its file that count against the disk budget until it is written */
    uint64_t size;     /* size of its file in bytes; 0: not yet written */
    /* pending write, which holds the bytes from reserving until they are in the file; NULL: in the file */
    struct verso__write *write;
};

typedef struct verso__held_table {
    verso__held **buckets;
    size_t bucket_count; /* a power of 2, or 0 */
    size_t count;
} verso__held_table;

/* Returns the entry of the capsule; NULL if there is none. */
verso__held *verso__held_find(const verso__held_table *table, const verso_capsule_name *name);
/* Adds an entry for a capsule that has none. NULL if there is no memory. */
verso__held *verso__held_add(verso__held_table *table, const verso_capsule_name *name);
/* Removes the entry and frees it. */
void verso__held_remove(verso__held_table *table, verso__held *held);
/* Returns the names of all capsules, except those that are only reserved, in ascending order of kind and step. The
 * caller frees the array with verso__dealloc; NULL if there is no memory. */
verso_capsule_name *verso__held_names(const verso__held_table *table, size_t *count);
/* Frees all entries and the table's memory. */
void verso__held_free(verso__held_table *table);

#endif
