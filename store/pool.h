/* A pool of buffers within a budget. A buffer that is given back is kept for the next request of the same size; it
 * counts against the budget until it is freed, and it is freed before a request is refused. A run whose capsules
 * have few sizes therefore soon stops allocating, and a run whose capsules all differ in size keeps only a few
 * unused buffers.
 *
 * A buffer has exactly the requested size, so that a request is refused only if the sum of the sizes in use would
 * exceed the limit. If no idle buffer has the size, the idle buffer that was used longest ago is resized. Not
 * thread-safe: the owner locks. */
#ifndef VERSO_STORE_POOL_H
#define VERSO_STORE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct verso__buffer verso__buffer;
struct verso__buffer {
    verso__buffer *next; /* next idle buffer of the pool */
    size_t size;
    unsigned holders; /* number of holders; maintained by the file store */
    max_align_t bytes[];
};

enum { VERSO_POOL_SIZES = 8 };

typedef struct verso__pool {
    uint64_t limit;  /* maximum bytes; 0: no limit */
    uint64_t in_use; /* bytes of buffers that are lent */
    uint64_t idle;   /* bytes of idle buffers */
    uint64_t peak;   /* maximum of in_use + idle */
    uint64_t clock;  /* number of loans and returns so far */
    struct verso__pool_size {
        size_t size;
        verso__buffer *first; /* list of idle buffers; NULL: entry unused */
        uint64_t used;        /* value of `clock` at the last use */
    } sizes[VERSO_POOL_SIZES];
} verso__pool;

/* Lends a buffer of `size` bytes. Returns NULL if the limit does not permit it (*full is true) or if the machine
 * has no memory (*full is false). */
verso__buffer *verso__pool_take(verso__pool *pool, size_t size, bool *full);
/* Gives a buffer back. */
void verso__pool_give(verso__pool *pool, verso__buffer *buffer);
/* Frees all idle buffers. */
void verso__pool_empty(verso__pool *pool);
/* Returns the least limit with which `size` more bytes could be lent now. */
uint64_t verso__pool_least(const verso__pool *pool, size_t size);

#endif
