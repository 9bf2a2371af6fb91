/* Allocation. All memory of the library is allocated here, so that a test build can make the n-th allocation
 * fail. */
#ifndef VERSO_BASE_ALLOC_H
#define VERSO_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* Returns zeroed memory for `count` elements of `size` bytes; NULL if there is no memory or if the product
 * overflows. */
void *verso__alloc(size_t count, size_t size);
/* Resizes a block. The added part is not zeroed. If it returns NULL, the old block is unchanged. */
void *verso__realloc(void *old, size_t count, size_t size);
void verso__dealloc(void *block); /* no-op on NULL */

/* Blocks for capsules, whose memory counts against a budget. A large block has its own pages, so that freeing
 * it returns the memory to the system at once. The contents are not zeroed. Returns NULL if there is no memory. */
void *verso__block_new(size_t size);
/* Changes the size of a block; the contents become unspecified. Reuses the pages of the old block where
 * possible. If it returns NULL there is no memory, and the old block has been freed. */
void *verso__block_resize(void *old, size_t old_size, size_t size);
void verso__block_free(void *block, size_t size); /* no-op on NULL */
/* Says that all of a large block will be used, so that the system may give it large pages, which takes less time. */
void verso__block_fill(void *block, size_t size);

#ifdef VERSO_FAULT_ALLOCATION
/* Makes the n-th allocation from now on (1: the next) and all later ones fail; 0: none fails. */
void verso__alloc_fail_at(uint64_t n);
/* Returns the number of blocks that are allocated and not yet freed. */
uint64_t verso__alloc_live(void);
#endif

#endif
