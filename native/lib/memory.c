/* Functions of the C library that copy or allocate and that memcpy and malloc are enough for. What is allocated comes
 * from the program's heap (native/state.h), not from the C library's, which knows nothing of the former's blocks. */
#include "native/state.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static char *duplicate(const char *text, size_t length) {
    char *copy = verso_native_malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *verso_lib_strdup(const char *text) {
    return duplicate(text, strlen(text));
}

char *verso_lib___strdup(const char *text) {
    return duplicate(text, strlen(text));
}

char *verso_lib_strndup(const char *text, size_t most) {
    return duplicate(text, strnlen(text, most));
}

char *verso_lib___strndup(const char *text, size_t most) {
    return duplicate(text, strnlen(text, most));
}

void *verso_lib_mempcpy(void *to, const void *from, size_t size) {
    return (char *)memcpy(to, from, size) + size;
}

void *verso_lib___mempcpy(void *to, const void *from, size_t size) {
    return (char *)memcpy(to, from, size) + size;
}

void *verso_lib___mempcpy_chk(void *to, const void *from, size_t size, size_t room) {
    return size > room ? NULL : (char *)memcpy(to, from, size) + size;
}

void *verso_lib_memccpy(void *to, const void *from, int last, size_t size) {
    const char *end = memchr(from, last, size);
    size_t copied = end == NULL ? size : (size_t)(end - (const char *)from) + 1;
    memcpy(to, from, copied);
    return end == NULL ? NULL : (char *)to + copied;
}

void verso_lib_bcopy(const void *from, void *to, size_t size) {
    memmove(to, from, size);
}

static int allocate_aligned(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    void *made = verso_native_aligned_alloc(alignment, size);
    if (made == NULL)
        return ENOMEM;
    *block = made;
    return 0;
}

int verso_lib_posix_memalign(void **block, size_t alignment, size_t size) {
    return allocate_aligned(block, alignment, size);
}

/* Under the name that it has when the program's calls of malloc and its kin have been replaced already. */
int verso_lib_verso_native_posix_memalign(void **block, size_t alignment, size_t size) {
    return allocate_aligned(block, alignment, size);
}

/* A new block always: what moves is then a copy like any other. */
static void *reallocate(void *old, size_t size) {
    if (old == NULL)
        return verso_native_malloc(size);
    if (size == 0) {
        verso_native_free(old);
        return NULL;
    }
    void *made = verso_native_malloc(size);
    if (made == NULL)
        return NULL;
    size_t had = verso_native_block_size(old);
    memcpy(made, old, had < size ? had : size);
    verso_native_free(old);
    return made;
}

void *verso_lib_realloc(void *old, size_t size) {
    return reallocate(old, size);
}

void *verso_lib_verso_native_realloc(void *old, size_t size) {
    return reallocate(old, size);
}

void *verso_lib_reallocarray(void *block, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(block, count * size);
}
