/* Memory that the program maps. Anonymous private mappings become blocks of the program's heap, aligned to a
 * page and filled with zeros, so that capsules hold them and their numbers have derivatives. Other mappings are
 * passed to the system, except within a differentiation, where they are refused.
 *
 * A page before each mapping holds a head that identifies it: programs also unmap parts of a mapping, and then
 * nothing is freed. */
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS: not in POSIX */
#include "native/memory/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct head {
    uint64_t mark;
    size_t size; /* in whole pages */
} head;

static uint64_t mark_of(const void *data) {
    return (uintptr_t)data ^ UINT64_C(0x6d61707065642121);
}

static bool is_in_arena(const void *data) {
    return (uintptr_t)data - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE;
}

static size_t page(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t in_pages(size_t size) {
    return (size + page() - 1) / page() * page();
}

void *verso__native_mmap(void *where, size_t size, int access, int flags, int file, long offset) {
    bool plain = (flags & MAP_ANONYMOUS) != 0 && (flags & MAP_PRIVATE) != 0 && (flags & MAP_FIXED) == 0;
    bool differentiating = verso__native_now.mode != VERSO_NATIVE_PRIMAL;
    if (differentiating && !plain)
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "mmap of a file, of shared memory or at a fixed address cannot be differentiated; map it "
                              "before the function that is differentiated, or read the file");
    if (!plain || !verso__native_arena_ready() || access == PROT_NONE)
        return mmap(where, size, access, flags, file, offset);
    char *block = size > 0 && size < SIZE_MAX / 2 ? verso__native_aligned_alloc(page(), in_pages(size) + page()) : NULL;
    if (block == NULL && differentiating)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY, "there is no memory for an mmap of %zu bytes", size);
    if (block == NULL) {
        errno = size > 0 ? ENOMEM : EINVAL;
        return MAP_FAILED;
    }
    char *data = block + page();
    *(head *)(void *)block = (head){mark_of(data), in_pages(size)};
    return memset(data, 0, in_pages(size));
}

void *verso__native_remap(void *data, size_t had, size_t size, int flags) {
    if (!is_in_arena(data)) {
        if (verso__native_now.mode != VERSO_NATIVE_PRIMAL)
            verso__native_give_up(VERSO_STATUS_INVALID,
                                  "mremap of a file, of shared memory or of memory that was mapped before the program "
                                  "was ready cannot be differentiated; allocate a new block and copy");
        return mremap(data, had, size, flags & ~MREMAP_FIXED);
    }
    if (size == 0 || (flags & ~MREMAP_MAYMOVE) != 0 || size >= SIZE_MAX / 2) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    if (in_pages(size) <= in_pages(had))
        return data;
    errno = ENOMEM;
    return (flags & MREMAP_MAYMOVE) != 0 ? NULL : MAP_FAILED;
}

void *verso__native_mremap(void *data, size_t had, size_t size, int flags, ...) {
    void *same = verso__native_remap(data, had, size, flags);
    if (same != NULL)
        return same;
    void *moved = verso__native_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (moved == MAP_FAILED)
        return moved;
    memcpy(moved, data, had);
    verso__native_munmap(data, had);
    return moved;
}

/* Blocks of the heap stay readable and writable, because capsules read and write them. */
int verso__native_mprotect(void *data, size_t size, int access) {
    bool usual = (access & (PROT_READ | PROT_WRITE)) == (PROT_READ | PROT_WRITE);
    if (!usual && verso__native_now.mode != VERSO_NATIVE_PRIMAL)
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "mprotect that takes away the right to read or to write cannot be differentiated; leave "
                              "memory readable and writable within the function");
    return is_in_arena(data) ? 0 : mprotect(data, size, access);
}

int verso__native_munmap(void *data, size_t size) {
    const head *before = (const head *)(const void *)((char *)data - page());
    if (!is_in_arena(data))
        return munmap(data, size);
    if (is_in_arena(before) && before->mark == mark_of(data) && before->size == in_pages(size))
        verso__native_free((char *)data - page());
    return 0;
}
