/* qsort, bsearch and other functions of the C library that call a comparison function. They are differentiated
 * like the program's own code: elements are moved as bits, so that the numbers in them keep their derivatives.
 *
 * The sort is glibc's: a top-down merge sort whose first half is the smaller one and which keeps equal elements
 * in order, so that results and the sequence of comparisons are the same. */
#include "native/state.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef int comparison(const void *, const void *, void *);

/* Types that may alias any object, as char does. */
typedef uint64_t __attribute__((may_alias)) word;
typedef uint32_t __attribute__((may_alias)) half_word;

typedef enum shape { SHAPE_WORD, SHAPE_TWO_WORDS, SHAPE_HALF_WORD, SHAPE_BYTES } shape;

typedef struct sorting {
    size_t size;
    shape shape;
    comparison *compare;
    void *context;
} sorting;

static shape shape_of(const void *elements, size_t size) {
    if ((uintptr_t)elements % sizeof(word) == 0 && size == sizeof(word))
        return SHAPE_WORD;
    if ((uintptr_t)elements % sizeof(word) == 0 && size == 2 * sizeof(word))
        return SHAPE_TWO_WORDS;
    if ((uintptr_t)elements % sizeof(half_word) == 0 && size == sizeof(half_word))
        return SHAPE_HALF_WORD;
    return SHAPE_BYTES;
}

static void move(const sorting *with, char *to, const char *from) {
    switch (with->shape) {
    case SHAPE_TWO_WORDS: ((word *)to)[1] = ((const word *)from)[1]; /* fall through */
    case SHAPE_WORD: *(word *)to = *(const word *)from; break;
    case SHAPE_HALF_WORD: *(half_word *)to = *(const half_word *)from; break;
    default: memcpy(to, from, with->size);
    }
}

/* Sorts the elements. `spare` must have room for all of them. */
static void merge_sort(const sorting *with, char *elements, size_t count, char *spare) {
    if (count <= 1)
        return;
    size_t first = count / 2, second = count - first;
    char *a = elements, *b = elements + first * with->size, *to = spare;
    merge_sort(with, a, first, spare);
    merge_sort(with, b, second, spare);
    for (; first > 0 && second > 0; to += with->size) {
        bool from_first = with->compare(a, b, with->context) <= 0;
        char **from = from_first ? &a : &b;
        move(with, to, *from);
        *from += with->size;
        first -= from_first;
        second -= !from_first;
    }
    if (first > 0)
        memcpy(to, a, first * with->size);
    memcpy(elements, spare, (count - second) * with->size);
}

/* Swaps in pieces that keep the alignment of the elements. */
static void swap(const sorting *with, char *a, char *b) {
    _Alignas(16) char piece[64];
    for (size_t at = 0; at < with->size; at += sizeof piece) {
        size_t bytes = with->size - at < sizeof piece ? with->size - at : sizeof piece;
        memcpy(piece, a + at, bytes);
        memcpy(a + at, b + at, bytes);
        memcpy(b + at, piece, bytes);
    }
}

/* Sorts without additional memory: slow, but with the same result. */
static void insertion_sort(const sorting *with, char *elements, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (char *at = elements + i * with->size, *before = at - with->size;
             at > elements && with->compare(before, at, with->context) > 0; at = before, before -= with->size)
            swap(with, before, at);
}

void verso__lib_qsort_r(void *elements, size_t count, size_t size, comparison *compare, void *context) {
    sorting with = {size, shape_of(elements, size), compare, context};
    _Alignas(16) char few[1024];
    if (count * size <= sizeof few) {
        merge_sort(&with, elements, count, few);
        return;
    }
    char *spare = verso__native_malloc(count * size);
    if (spare == NULL) {
        insertion_sort(&with, elements, count);
        return;
    }
    merge_sort(&with, elements, count, spare);
    verso__native_free(spare);
}

/* qsort's comparison function has no context: it becomes the context itself. */
typedef int plain_comparison(const void *, const void *);

static int compare_plainly(const void *a, const void *b, void *context) {
    return (*(plain_comparison **)context)(a, b);
}

void verso__lib_qsort(void *elements, size_t count, size_t size, plain_comparison *compare) {
    verso__lib_qsort_r(elements, count, size, compare_plainly, &compare);
}

/* ---- Searching ---- */

void *verso__lib_bsearch(const void *key, const void *elements, size_t count, size_t size, plain_comparison *compare) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *at = (const char *)elements + middle * size;
        int order = compare(key, at);
        if (order == 0)
            return (void *)(uintptr_t)at;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void *verso__lib_lfind(const void *key, const void *elements, size_t *count, size_t size, plain_comparison *compare) {
    for (size_t i = 0; i < *count; i++) {
        const char *at = (const char *)elements + i * size;
        if (compare(key, at) == 0)
            return (void *)(uintptr_t)at;
    }
    return NULL;
}

void *verso__lib_lsearch(const void *key, void *elements, size_t *count, size_t size, plain_comparison *compare) {
    void *found = verso__lib_lfind(key, elements, count, size, compare);
    return found != NULL ? found : memcpy((char *)elements + size * (*count)++, key, size);
}
