/* The program's heap as generated code calls it (native/state.h): malloc and its relatives, in the arena.
 * Blocks of the C library's heap, which a library may have handed to the program, are passed to the C library. */
#include "native/memory/inside.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static bool (*keeps_others)(void *block); /* see verso__native_arena_keep_others */

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

/* Returns true if no arena has room for `size` bytes. */
static bool is_beyond(uint64_t size) {
    return size >= VERSO_NATIVE_ARENA_SIZE;
}

/* Sets *touched_before to the address from which on the block is certainly zero. */
static void *allocate(size_t size, char **touched_before) {
    if (is_beyond(size))
        return no_memory();
    void *block = verso__native_arena_new(size, touched_before);
    return block != NULL ? block : no_memory();
}

void *verso__native_malloc(size_t size) {
    char *touched;
    return verso__native_arena_ready() ? allocate(size, &touched) : malloc(size);
}

void *verso__native_calloc(size_t count, size_t size) {
    size_t bytes;
    if (!verso__native_arena_ready())
        return calloc(count, size);
    if (__builtin_mul_overflow(count, size, &bytes))
        return no_memory();
    char *touched;
    char *block = allocate(bytes, &touched);
    if (block != NULL && block < touched)
        memset(block, 0, bytes < (size_t)(touched - block) ? bytes : (size_t)(touched - block));
    return block;
}

void *verso__native_realloc(void *old, size_t size) {
    if (old == NULL)
        return verso__native_malloc(size);
    if (!verso__native_arena_owns(old))
        return realloc(old, size);
    if (size == 0) {
        verso__native_free(old);
        return NULL;
    }
    if (!is_beyond(size) && verso__native_arena_resize(old, size))
        return old;
    size_t had = verso__native_arena_size_of(old);
    void *block = verso__native_malloc(size);
    if (block == NULL)
        return NULL;
    memcpy(block, old, had < size ? had : size);
    verso__native_free(old);
    return block;
}

static bool is_power(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

void *verso__native_aligned_alloc(size_t alignment, size_t size) {
    if (!verso__native_arena_ready())
        return aligned_alloc(alignment, size);
    if (!is_power(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    if (alignment <= VERSO_NATIVE_GRAIN)
        return verso__native_malloc(size);
    if (is_beyond(size) || is_beyond(alignment))
        return no_memory();
    char *whole = verso__native_malloc(size + alignment + VERSO_NATIVE_GRAIN);
    if (whole == NULL || (uintptr_t)whole % alignment == 0)
        return whole;
    /* There is room for a second tag after the block's own. */
    char *block = whole + VERSO_NATIVE_GRAIN;
    block += (alignment - (uintptr_t)block % alignment) % alignment;
    verso__native_arena_mark_aligned(block, (size_t)(block - whole));
    return block;
}

int verso__native_posix_memalign(void **block, size_t alignment, size_t size) {
    if (!verso__native_arena_ready())
        return posix_memalign(block, alignment, size);
    if (!is_power(alignment) || alignment % sizeof(void *) != 0)
        return EINVAL;
    int before = errno;
    void *got = verso__native_aligned_alloc(alignment, size);
    errno = before;
    if (got == NULL)
        return ENOMEM;
    *block = got;
    return 0;
}

void verso__native_arena_keep_others(bool (*keeps)(void *block)) {
    keeps_others = keeps;
}

void verso__native_free(void *block) {
    if (block == NULL)
        return;
    if (!verso__native_arena_owns(block)) {
        if (keeps_others == NULL || !keeps_others(block))
            free(block);
        return;
    }
    verso__native_arena_release(block);
}

size_t verso__native_block_size(void *block) {
    return block == NULL                     ? 0
           : verso__native_arena_owns(block) ? verso__native_arena_size_of(block)
                                             : malloc_usable_size(block);
}
