/* Buffers within a budget. What is given back is kept for the next request of the same size, and counts until it is
 * freed; it is freed before a request is refused. So a run whose capsules have a few sizes allocates nothing once it is
 * warm, and one whose every capsule has a size of its own keeps only a few buffers that it does not use.
 *
 * A buffer is taken only by a request of exactly its size: then what is in use is the sum of what was asked for, and a
 * request is refused only when that sum would exceed the limit. Not thread-safe: its owner locks. */
#ifndef VERSO_STORE_POOL_H
#define VERSO_STORE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct verso_buffer verso_buffer;
struct verso_buffer {
    verso_buffer *next; /* the pool's */
    size_t size;
    unsigned holders; /* the file store's: who still needs it */
    max_align_t bytes[];
};

enum { VERSO_POOL_SIZES = 8 };

typedef struct verso_pool {
    uint64_t limit;  /* 0: none */
    uint64_t in_use; /* bytes lent */
    uint64_t idle;   /* bytes kept */
    uint64_t peak;   /* of both together */
    uint64_t clock;
    struct verso_pool_size {
        size_t size;
        verso_buffer *first; /* NULL: this place is free */
        uint64_t used;       /* by the clock */
    } sizes[VERSO_POOL_SIZES];
} verso_pool;

/* NULL: *full says whether the limit is why; if not, the machine has no memory. */
verso_buffer *verso_pool_take(verso_pool *pool, size_t size, bool *full);
void verso_pool_give(verso_pool *pool, verso_buffer *buffer);
/* Frees what is kept. */
void verso_pool_empty(verso_pool *pool);
/* The least limit with which so many bytes more could be lent now. */
uint64_t verso_pool_least(const verso_pool *pool, size_t size);

#endif
