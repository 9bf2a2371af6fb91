/* See alloc.h. The counters exist only in the test build; they are the only mutable globals here. They are
 * atomic because a worker thread frees blocks that other threads allocated. */
#if defined(__linux__)
#define _GNU_SOURCE /* mremap */
#endif
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#ifdef VERSO_FAULT_ALLOCATION
static struct {
    _Atomic uint64_t fail_at; /* number of allocations until one fails; 0: none fails */
    _Atomic uint64_t live;
} faults;

void verso__alloc_fail_at(uint64_t n) {
    faults.fail_at = n;
}

uint64_t verso__alloc_live(void) {
    return faults.live;
}

static int must_fail(void) {
    if (faults.fail_at == 0)
        return 0;
    if (faults.fail_at > 1) {
        faults.fail_at--;
        return 0;
    }
    return 1;
}
#else
static int must_fail(void) {
    return 0;
}
#endif

static void count_block(void *block) {
#ifdef VERSO_FAULT_ALLOCATION
    faults.live += block != NULL;
#else
    (void)block;
#endif
}

void *verso__alloc(size_t count, size_t size) {
    if (must_fail())
        return NULL;
    void *block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    count_block(block);
    return block;
}

void *verso__realloc(void *old, size_t count, size_t size) {
    if (must_fail() || (size > 0 && count > SIZE_MAX / size) || count * size == 0)
        return NULL;
    void *block = realloc(old, count * size);
    if (old == NULL)
        count_block(block);
    return block;
}

void verso__dealloc(void *block) {
#ifdef VERSO_FAULT_ALLOCATION
    faults.live -= block != NULL;
#endif
    free(block);
}

/* ---- Blocks ---- */

#if defined(__linux__)
enum { PAGES_LEAST = 128 << 10 };

void *verso__block_new(size_t size) {
    if (size < PAGES_LEAST)
        return verso__realloc(NULL, size > 0 ? size : 1, 1);
    if (must_fail())
        return NULL;
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    block = block == MAP_FAILED ? NULL : block;
    count_block(block);
    return block;
}

void *verso__block_resize(void *old, size_t old_size, size_t size) {
    if (old_size >= PAGES_LEAST && size >= PAGES_LEAST && !must_fail()) {
        void *block = mremap(old, old_size, size, MREMAP_MAYMOVE);
        if (block != MAP_FAILED)
            return block;
    }
    verso__block_free(old, old_size);
    return verso__block_new(size);
}

void verso__block_free(void *block, size_t size) {
    if (block == NULL || size < PAGES_LEAST) {
        verso__dealloc(block);
        return;
    }
#ifdef VERSO_FAULT_ALLOCATION
    faults.live--;
#endif
    (void)munmap(block, size);
}

void verso__block_fill(void *block, size_t size) {
    uintptr_t page = UINT64_C(4096), begin = ((uintptr_t)block + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)block + size) & ~(page - 1);
    if (block != NULL && end > begin)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* advice: nothing depends on its success */
}
#else
void verso__block_fill(void *block, size_t size) {
    (void)block, (void)size;
}

void *verso__block_new(size_t size) {
    return verso__realloc(NULL, size > 0 ? size : 1, 1);
}

void *verso__block_resize(void *old, size_t old_size, size_t size) {
    (void)old_size;
    verso__dealloc(old);
    return verso__block_new(size);
}

void verso__block_free(void *block, size_t size) {
    (void)size;
    verso__dealloc(block);
}
#endif
