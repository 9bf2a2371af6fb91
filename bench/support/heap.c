/* See heap.h. */
#include "bench/support/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static struct {
    ptrdiff_t live, base, peak; /* live may be negative, because we free some blocks that the C library allocated */
} heap;

static void *count_block(void *block) {
    heap.live += (ptrdiff_t)(block ? malloc_usable_size(block) : 0);
    if (heap.live > heap.peak)
        heap.peak = heap.live;
    return block;
}

static void forget_block(void *block) {
    heap.live -= (ptrdiff_t)(block ? malloc_usable_size(block) : 0);
}

void bench_heap_start(void) {
    heap.base = heap.peak = heap.live;
}

size_t bench_heap_peak(void) {
    return (size_t)(heap.peak - heap.base);
}

void *__wrap_malloc(size_t size) {
    return count_block(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return count_block(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
    size_t before = old ? malloc_usable_size(old) : 0;
    void *block = __real_realloc(old, size);
    if (block) {
        heap.live -= (ptrdiff_t)before;
        count_block(block);
    }
    return block;
}

void __wrap_free(void *block) {
    forget_block(block);
    __real_free(block);
}
