/* Allocation through OpenMP's allocators: from the program's heap, which capsules hold. */
#include "native/state.h"

#include <stddef.h>
#include <stdint.h>

/* A number of an allocator, or the address of its description. */
typedef uintptr_t allocator;

void *verso__lib_omp_alloc(size_t size, allocator from) {
    (void)from;
    return verso__native_malloc(size);
}

void *verso__lib_omp_aligned_alloc(size_t alignment, size_t size, allocator from) {
    (void)from;
    return verso__native_aligned_alloc(alignment, size);
}

void *verso__lib_omp_calloc(size_t count, size_t size, allocator from) {
    (void)from;
    return verso__native_calloc(count, size);
}

void verso__lib_omp_free(void *block, allocator from) {
    (void)from;
    verso__native_free(block);
}

void *verso__lib___kmpc_alloc(int32_t thread, size_t size, void *from) {
    (void)thread, (void)from;
    return verso__native_malloc(size);
}

void *verso__lib___kmpc_aligned_alloc(int32_t thread, size_t alignment, size_t size, void *from) {
    (void)thread, (void)from;
    return verso__native_aligned_alloc(alignment, size);
}

void verso__lib___kmpc_free(int32_t thread, void *block, void *from) {
    (void)thread, (void)from;
    verso__native_free(block);
}
