/* Functions of the C library that copy or allocate memory, written with memcpy and malloc. They allocate from
 * the program's heap (native/state.h), whose blocks the C library could not free or resize. */
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS: not in POSIX */
#include "native/state.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <wchar.h>

static char *duplicate(const char *text, size_t length) {
    char *copy = verso__native_malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *verso__lib_strdup(const char *text) {
    return duplicate(text, strlen(text));
}

char *verso__lib___strdup(const char *text) {
    return duplicate(text, strlen(text));
}

char *verso__lib_strndup(const char *text, size_t most) {
    return duplicate(text, strnlen(text, most));
}

char *verso__lib___strndup(const char *text, size_t most) {
    return duplicate(text, strnlen(text, most));
}

void *verso__lib_mempcpy(void *to, const void *from, size_t size) {
    return (char *)memcpy(to, from, size) + size;
}

void *verso__lib___mempcpy(void *to, const void *from, size_t size) {
    return (char *)memcpy(to, from, size) + size;
}

void *verso__lib___mempcpy_chk(void *to, const void *from, size_t size, size_t room) {
    return size > room ? NULL : (char *)memcpy(to, from, size) + size;
}

void *verso__lib_memccpy(void *to, const void *from, int last, size_t size) {
    const char *end = memchr(from, last, size);
    size_t copied = end == NULL ? size : (size_t)(end - (const char *)from) + 1;
    memcpy(to, from, copied);
    return end == NULL ? NULL : (char *)to + copied;
}

void verso__lib_bcopy(const void *from, void *to, size_t size) {
    memmove(to, from, size);
}

/* Programs also move numbers as wide characters. */
wchar_t *verso__lib_wmemcpy(wchar_t *to, const wchar_t *from, size_t count) {
    return memcpy(to, from, count * sizeof *to);
}

wchar_t *verso__lib_wmemmove(wchar_t *to, const wchar_t *from, size_t count) {
    return memmove(to, from, count * sizeof *to);
}

wchar_t *verso__lib_wmempcpy(wchar_t *to, const wchar_t *from, size_t count) {
    return (wchar_t *)memcpy(to, from, count * sizeof *to) + count;
}

wchar_t *verso__lib_wmemset(wchar_t *to, wchar_t with, size_t count) {
    for (size_t i = 0; i < count; i++)
        memcpy(&to[i], &with, sizeof with); /* the memory may hold objects of any type */
    return to;
}

static int allocate_aligned(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    void *made = verso__native_aligned_alloc(alignment, size);
    if (made == NULL)
        return ENOMEM;
    *block = made;
    return 0;
}

int verso__lib_posix_memalign(void **block, size_t alignment, size_t size) {
    return allocate_aligned(block, alignment, size);
}

/* The same under the name that it has after the program's calls of malloc and its relatives were replaced. */
int verso__lib_verso__native_posix_memalign(void **block, size_t alignment, size_t size) {
    return allocate_aligned(block, alignment, size);
}

/* Always allocates a new block, so that moved contents are an ordinary copy. */
static void *reallocate(void *old, size_t size) {
    if (old == NULL)
        return verso__native_malloc(size);
    if (size == 0) {
        verso__native_free(old);
        return NULL;
    }
    void *made = verso__native_malloc(size);
    if (made == NULL)
        return NULL;
    size_t had = verso__native_block_size(old);
    memcpy(made, old, had < size ? had : size);
    verso__native_free(old);
    return made;
}

void *verso__lib_realloc(void *old, size_t size) {
    return reallocate(old, size);
}

void *verso__lib_verso__native_realloc(void *old, size_t size) {
    return reallocate(old, size);
}

void *verso__lib_verso__native_mremap(void *old, size_t had, size_t size, int flags, ...) {
    void *same = verso__native_remap(old, had, size, flags);
    if (same != NULL)
        return same;
    void *moved = verso__native_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (moved == MAP_FAILED)
        return moved;
    memcpy(moved, old, had);
    verso__native_munmap(old, had);
    return moved;
}

void *verso__lib_reallocarray(void *block, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(block, count * size);
}
