/* See alloc.h. The counters exist in the test build alone; they are the only mutable globals, and only tests see them.
 * Workers free what others allocated, so the blocks are counted atomically. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>

#ifdef VERSO_FAULT_ALLOCATION
static struct {
    _Atomic uint64_t fail_at; /* allocations left before failing, plus one; 0: never */
    _Atomic uint64_t live;
} faults;

void verso_alloc_fail_at(uint64_t n) {
    faults.fail_at = n;
}

uint64_t verso_alloc_live(void) {
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

void *verso_alloc(size_t count, size_t size) {
    if (must_fail())
        return NULL;
    void *block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    count_block(block);
    return block;
}

void *verso_realloc(void *old, size_t count, size_t size) {
    if (must_fail() || (size > 0 && count > SIZE_MAX / size) || count * size == 0)
        return NULL;
    void *block = realloc(old, count * size);
    if (old == NULL)
        count_block(block);
    return block;
}

void verso_dealloc(void *block) {
#ifdef VERSO_FAULT_ALLOCATION
    faults.live -= block != NULL;
#endif
    free(block);
}
