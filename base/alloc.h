/* Allocation, in one place so that a test build can make the n-th one fail. */
#ifndef VERSO_BASE_ALLOC_H
#define VERSO_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* NULL when there is no memory, also for a product that overflows. Zeroed. */
void *verso_alloc(size_t count, size_t size);
/* The new part is not zeroed; on NULL the old block is untouched. */
void *verso_realloc(void *old, size_t count, size_t size);
void verso_dealloc(void *block); /* NULL is nothing */

#ifdef VERSO_FAULT_ALLOCATION
/* The n-th allocation from now on (1 is the next) fails, and every one after it; 0: none fails. */
void verso_alloc_fail_at(uint64_t n);
/* Blocks allocated and not yet freed. */
uint64_t verso_alloc_live(void);
#endif

#endif
